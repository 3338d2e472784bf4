import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { ApiProblem } from '@/api/errors'
import { newId } from '@/kit/ids'
import { uploadPath } from './reference'

/** What is known of a file; one that is gone stays gone. */
export function fileById(file_id: string) {
  return queryOptions({
    queryKey: ['files', file_id],
    queryFn: () => unwrap(api.GET('/api/workspace/files/{file_id}', { params: { path: { file_id } } })),
    staleTime: 60_000,
    retry: (times, problem) => times < 2 && !(problem instanceof ApiProblem && problem.status === 404),
  })
}

function put(file: File, path: string) {
  return unwrap(
    api.POST('/api/workspace/files', {
      params: { query: { path } },
      headers: { 'Content-Type': file.type || 'application/octet-stream' },
      // The schema writes bytes as text; they are sent as they are.
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as File,
    }),
  )
}

/** Keep a file in the workspace. Where its name is taken it gets another: nobody's file is written over. */
export function useUpload() {
  return useMutation({
    mutationFn: async (file: File) => {
      try {
        return await put(file, uploadPath(file.name))
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.code === 'already_exists')) throw problem
        return put(file, uploadPath(file.name, newId().slice(0, 8)))
      }
    },
  })
}

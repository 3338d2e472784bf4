import { useFlag } from '@/features/accounts/useFlag'

/** Who would answer a first message: the offline pilot, or a model whose name the first turn tells. */
export function useAnsweringModel(): 'offline' | null {
  return useFlag('model_connected') ? null : 'offline'
}

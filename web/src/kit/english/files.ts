/** Texts of files, sorted by key. `{name}` is filled in. */
export const files = {
  'files.chooseFor': 'File for {label}',
  'files.file': 'File',
  'files.gone': 'This file is not there any more.',
  'files.upload': 'Upload a file',
  'files.uploading': 'Uploading',
} as const

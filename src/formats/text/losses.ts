/** What reading any text may assume. */
export const ENCODING_LOSSES = {
  encoding_assumed: 'A file that is not valid UTF-8 and names no encoding is read as Windows-1252.',
  invalid_bytes: 'Bytes that the encoding of the file does not have are replaced.',
};

/** What reading any file of questions in text may report. */
export const TEXT_LOSSES = {
  ...ENCODING_LOSSES,
  no_questions: 'The file is of this format but has no questions.',
};

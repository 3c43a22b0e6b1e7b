/** Losses and warnings that several formats share. */

export const XML_LOSSES = {
  encoding_assumed: 'Bytes that are not of the encoding of the file are read as Windows-1252.',
  html_entities: 'Named characters of HTML, such as &nbsp;, are understood although XML does not have them.',
  bare_ampersand: 'With `lenient`, an ampersand that begins no reference is taken as text.',
  entities_refused: 'Entities that the file declares are not expanded; items that use them are rejected.',
  no_questions: 'The file is of this format but has no questions.',
  file_truncated: 'The file ends before its last end tag.',
};

export const MARKUP_LOSSES = {
  formatting_dropped: 'Bold, italics and the like are not kept, unless HTML is converted to Markdown.',
  link_dropped: 'Links to files of the course are not kept.',
  media_described: 'A picture is replaced by its alternative text.',
  media_dropped: 'A picture without alternative text is left out, if that is asked for.',
  mathml_linearized: 'A formula in MathML without TeX is written in one line.',
};

/** Moodle XML: `<quiz>` with a `<question>` for each question and each change of category. */
import { MARKUP_LOSSES, XML_LOSSES } from '../common-losses.ts';
import type { Format } from '../format.ts';
import { findRoot } from '../items/xml-items.ts';
import { decodeDocument } from '../xml/encoding.ts';
import { readMoodleXml } from './read.ts';
import { writeMoodleXml } from './write.ts';

export const moodleXml: Format = {
  name: 'moodle-xml',
  title: 'Moodle XML',
  extensions: ['.xml'],
  mediaTypes: ['application/vnd.moodle.quiz+xml'],
  detect(head, fileName) {
    const { text } = decodeDocument(head);
    const root = findRoot(text);
    if (root !== 'quiz') return 0;
    return /<question\s+type\s*=/.test(text) || fileName?.toLowerCase().endsWith('.xml') ? 0.95 : 0.6;
  },
  read: (source, options) => readMoodleXml(source, options),
  write: writeMoodleXml,
  losses: {
    ...XML_LOSSES,
    ...MARKUP_LOSSES,
    name_dropped: 'The name of a question is not kept unless it is the beginning of its text.',
    partial_credit_dropped: 'Answers that give a part of the marks give none.',
    negative_marks_dropped: 'Wrong answers take no marks away.',
    option_feedback_appended: 'Feedback on an answer becomes a line of the explanation.',
    combined_feedback_dropped: 'Feedback on right, partly right and wrong attempts is not kept.',
    hints_dropped: 'Hints are not kept.',
    weight_dropped: 'A default mark other than 1 is not kept.',
    wildcard_answer_dropped: 'Accepted answers with the wildcard * are not kept.',
    accepted_answers_dropped: 'Further accepted numbers of a numerical question are not kept.',
    units_dropped: 'Units other than the base unit of a numerical question are not kept.',
    hidden_question: 'A hidden question is read like the others.',
    single_key_of_several: 'A question with checkboxes and one correct answer becomes multiple choice.',
    empty_option_dropped: 'Options without text are not kept.',
    metadata_extension:
      'Difficulty, topic, source, `sorted` order, `choose` and matching options are written into an element that Moodle ignores.',
    relative_tolerance_converted: 'A relative tolerance is written as the absolute one that it is.',
    characters_dropped: 'Characters that XML cannot have are left out.',
  },
};

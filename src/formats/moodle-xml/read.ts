/** Reads the questions of Moodle XML that have one answer, several, a short one or a number. */
import {
  type FileSource,
  type PortableQuestion,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { findRoot, readXmlItems } from '../items/xml-items.ts';
import { RejectItem } from '../reject-item.ts';
import { type UnsupportedKind, unknownKind, unsupported } from '../unsupported.ts';
import { findChild, findChildren, textOf, type XmlElement } from '../xml/tree.ts';
import { readAnswers } from './answers.ts';
import { readExtension } from './extension.ts';
import { readCategory, readText, readValue, readValueOf } from './texts.ts';

const UNSUPPORTED: Record<string, UnsupportedKind> = {
  essay: 'essay',
  essayautograde: 'essay',
  description: 'description',
  matching: 'matching',
  match: 'matching',
  ddmatch: 'matching',
  multianswer: 'cloze',
  cloze: 'cloze',
  gapselect: 'cloze',
  gapfill: 'cloze',
  wordselect: 'cloze',
  ddwtos: 'drag_and_drop',
  ddimageortext: 'drag_and_drop',
  ddmarker: 'hotspot',
  ordering: 'ordering',
  calculated: 'calculated',
  calculatedsimple: 'calculated',
  calculatedmulti: 'calculated',
  formulas: 'calculated',
  stack: 'calculated',
  varnumeric: 'calculated',
  varnumericset: 'calculated',
  random: 'random',
  randomsamatch: 'random',
  coderunner: 'program',
  recordrtc: 'upload',
};
const EMBEDDED = new Set(['file', 'image_base64']);
/** Moodle fills these in where the author writes nothing. */
const DEFAULT_FEEDBACK =
  /^(?:your answer is (?:partially )?(?:in)?correct\.?|(?:partially )?correct|incorrect|well done!?)?$/i;

export async function* readMoodleXml(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem> {
  let category: string | undefined;
  yield* readXmlItems(source.stream(), options, {
    element: 'question',
    withoutText: EMBEDDED,
    onRest(text, isFirst) {
      if (isFirst && findRoot(text) !== 'quiz')
        throw new UnreadableFile(
          'not_moodle_xml',
          'The file has no <quiz> around its questions: it is not Moodle XML.',
        );
    },
    read(element, report) {
      if (element.attributes.type === 'category') {
        category = readCategory(element);
        return undefined;
      }
      const question = readQuestion(element, report);
      if (category) question.category = category;
      return question;
    },
  });
}

function readQuestion(element: XmlElement, report: ItemReport): PortableQuestion {
  const type = (element.attributes.type ?? '').trim().toLowerCase();
  const kind = UNSUPPORTED[type];
  if (kind) throw unsupported(kind);
  requireNoPicture(element, report);
  const stem = readText(findChild(element, 'questiontext'), report);
  if (stem.text.trim() === '')
    throw new RejectItem('no_question_text', 'The question has no text. Write one into <questiontext>.');
  const answers = readAnswers(type, element, report);
  if (!answers) throw unknownKind(type);
  const { feedback, ...fields } = answers;
  const question: PortableQuestion = { question_text: stem.text, ...fields };
  if (stem.isMarkdown) question.text_format = 'markdown';
  const general = readText(findChild(element, 'generalfeedback'), report);
  if (feedback.length > 0)
    report.add('option_feedback_appended', 'The feedback on answers is added to the explanation.');
  const explanation = [general.text, ...feedback].filter((text) => text !== '').join('\n');
  if (explanation !== '') question.explanation = explanation;
  readLabels(element, question);
  readExtension(element, question);
  reportLosses(element, stem.text, report);
  return question;
}

/** Pictures of Moodle 1.x, which have no alternative text. */
function requireNoPicture(element: XmlElement, report: ItemReport): void {
  const image = readValue(element, 'image');
  const hasBytes = findChild(element, 'image_base64') !== undefined;
  if (image === '' && !hasBytes) return;
  if (report.markup.media !== 'drop')
    throw new RejectItem(
      'needs_media',
      'The question needs a picture without alternative text. Describe it in words, or drop media.',
    );
  report.add('media_dropped', `The picture ${image} is lost.`);
}

function readLabels(element: XmlElement, question: PortableQuestion): void {
  const id = readValue(element, 'idnumber');
  if (id !== '') question.external_id = id;
  const tags = ['tags', 'coursetags']
    .flatMap((name) => findChildren(element, name))
    .flatMap((list) => findChildren(list, 'tag'))
    .map(readValueOf);
  const distinct = [...new Set(tags)].filter((tag) => tag !== '');
  if (distinct.length > 0) question.tags = distinct;
}

function reportLosses(element: XmlElement, stem: string, report: ItemReport): void {
  const fold = (text: string) =>
    text
      .replace(/<[^>]*>|…$|\.\.\.$/g, '')
      .replace(/[\s*_`]+/g, ' ')
      .trim()
      .toLowerCase();
  const name = readValue(element, 'name');
  if (!stem.startsWith(name) && !fold(stem).startsWith(fold(name)))
    report.add('name_dropped', `The name "${name.slice(0, 100)}" is lost.`);
  if (findChildren(element, 'hint').some((hint) => textOf(hint).trim() !== ''))
    report.add('hints_dropped', 'The hints are lost.');
  const grade = readValue(element, 'defaultgrade');
  if (grade !== '' && Number(grade) !== 1) report.add('weight_dropped', `The default mark ${grade} is lost.`);
  if (readValue(element, 'hidden') === '1')
    report.add('hidden_question', 'The question is hidden in Moodle: it may be outdated.');
  const combined = ['correctfeedback', 'partiallycorrectfeedback', 'incorrectfeedback'].some(
    (part) => findChild(element, part) && !DEFAULT_FEEDBACK.test(fold(readValue(element, part))),
  );
  if (combined) report.add('combined_feedback_dropped', 'The feedback on whole attempts is lost.');
}

/** QTI 2.1, 2.2 and 3.0 (items and packages), and 1.2 (reading). */
import { MARKUP_LOSSES, XML_LOSSES } from '../common-losses.ts';
import type { Format } from '../format.ts';
import { decodeDocument } from '../xml/encoding.ts';
import { isZip, listLocalFiles } from '../zip/detect.ts';
import { sniff } from './document.ts';
import { MANIFEST } from './manifest.ts';
import { readQti } from './read.ts';
import { writeQti } from './write.ts';
import type { QtiVersion } from './write-item.ts';

/** Every version reads the files of all. */
const LOSSES = {
  ...XML_LOSSES,
  ...MARKUP_LOSSES,
  title_dropped: 'The title of an item is not kept unless it is the beginning of its text.',
  partial_credit_dropped: 'Answers that give a part of the marks give none.',
  negative_marks_dropped: 'Wrong answers take no marks away.',
  feedback_appended: 'Feedback becomes lines of the explanation.',
  single_key_of_several: 'An item with several choices and one correct answer becomes multiple choice.',
  accepted_answers_dropped: 'Further accepted numbers are not kept.',
  tolerance_simplified: 'Different tolerances above and below become the smaller one.',
  not_in_manifest: 'An item that the manifest does not name is read, without metadata.',
  no_manifest: 'A package without a manifest is read by the names of its files.',
  test_structure_dropped: 'Tests, their sections, order and weights are not kept.',
  scoring_assumed: 'An item without response processing is scored by its correct response.',
  response_processing_ignored: 'Rules of an item for scoring are replaced by its correct response.',
  rubric_in_text: 'A rubric for candidates becomes a part of the question.',
  rubric_in_explanation: 'A rubric for scorers and tutors becomes a part of the explanation.',
  shuffle_dropped: 'Options of which some have a fixed place are not shuffled.',
  sorted_order_fixed: 'Options to be sorted are written in the order of their texts.',
  matching_options_dropped: 'How answers are compared, apart from their case, is not written.',
  characters_dropped: 'Characters that XML cannot have are left out.',
  weight_dropped: 'Points other than 1 are not kept.',
  contains_match_dropped: 'An answer that contains the correct one is not right: only an equal one is.',
};

/** Each version is recognised by its namespace; in packages by that of the manifest, if it comes first. */
const PATTERNS: Record<QtiVersion | '1.2', RegExp> = {
  '1.2': /imsqti_xmlv1p2|ims_qtiasiv1p2|x-bb-qti|questestinterop/,
  '2.1': /imsqti_v2p[01]|xmlv2p[01]|qtiv2p1/,
  '2.2': /imsqti_v2p2|xmlv2p2|qtiv2p2/,
  '3.0': /imsqtiasi_v3p0|xmlv3p0|qtiv3p0/,
};

const detectVersion = (version: QtiVersion | '1.2') => (head: Uint8Array, fileName: string | undefined) => {
  if (!isZip(head)) {
    const kind = sniff(head);
    const { text } = decodeDocument(head);
    if (kind === 'item') return PATTERNS[version].test(text) ? 0.95 : version === '2.1' ? 0.6 : 0;
    return kind === 'qti12' && version === '1.2' ? 0.95 : 0;
  }
  const paths: string[] = [];
  for (const { path, preview } of listLocalFiles(head)) {
    paths.push(path);
    const isManifest = path.toLowerCase().endsWith(MANIFEST);
    if (!isManifest && !/\.(?:xml|dat|qti)$/i.test(path)) continue;
    if (PATTERNS[version].test(preview())) return 0.95;
  }
  if (paths.some((path) => path.toLowerCase().endsWith(MANIFEST))) return 0.4;
  const isNamed =
    /\.(?:zip|imscc|qti)$/i.test(fileName ?? '') && !paths.some((path) => path.startsWith('xl/'));
  return isNamed ? 0.25 : 0;
};

const createFormat = (version: QtiVersion): Format => ({
  name: `qti-${version}`,
  title: `QTI ${version}`,
  extensions: ['.zip', '.xml'],
  mediaTypes: [],
  detect: detectVersion(version),
  read: readQti,
  write: writeQti(version),
  losses: LOSSES,
});

export const qti21 = createFormat('2.1');
export const qti22 = createFormat('2.2');
export const qti30 = createFormat('3.0');
export const qti12: Format = {
  name: 'qti-1.2',
  title: 'QTI 1.2 (Canvas, Blackboard)',
  extensions: ['.zip', '.imscc', '.xml', '.dat'],
  mediaTypes: [],
  detect: detectVersion('1.2'),
  read: readQti,
  losses: LOSSES,
};

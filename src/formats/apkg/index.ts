/** Packages of Anki. */
import { MARKUP_LOSSES } from '../common-losses.ts';
import type { Format } from '../format.ts';
import { TABLE_LOSSES } from '../table/rows.ts';
import { isZip, listLocalFiles } from '../zip/detect.ts';
import { readApkg } from './read.ts';
import { writeApkg } from './write.ts';

export const apkg: Format = {
  name: 'apkg',
  title: 'Anki package',
  extensions: ['.apkg', '.colpkg'],
  mediaTypes: ['application/apkg'],
  detect(head, fileName) {
    if (!isZip(head)) return 0;
    for (const { path } of listLocalFiles(head)) if (/^collection\.anki2/.test(path)) return 0.98;
    return /\.(?:apkg|colpkg)$/i.test(fileName ?? '') ? 0.9 : 0;
  },
  read: readApkg,
  write: writeApkg,
  losses: {
    ...TABLE_LOSSES,
    ...MARKUP_LOSSES,
    no_questions: 'The package has no notes.',
  },
};

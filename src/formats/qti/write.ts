/** Writes packages of QTI 2.1, 2.2 and 3.0: one file per item, and the manifest with metadata (LOM). */
import type { PortableQuestion, WriteOptions } from '../format.ts';
import { escapeXml, hasCharactersOutsideXml } from '../xml/write.ts';
import { writeZip, type ZipContent } from '../zip/write.ts';
import { MANIFEST } from './manifest.ts';
import { type QtiVersion, writeItem } from './write-item.ts';

const ITEMS_PER_FOLDER = 1_000;
const MANIFESTS: Record<QtiVersion, { namespace: string; schema: string; version: string; type: string }> = {
  '2.1': {
    namespace: 'http://www.imsglobal.org/xsd/imscp_v1p1',
    schema: 'QTIv2.1 Package',
    version: '1.0.0',
    type: 'imsqti_item_xmlv2p1',
  },
  '2.2': {
    namespace: 'http://www.imsglobal.org/xsd/imscp_v1p1',
    schema: 'QTIv2.2 Package',
    version: '1.0.0',
    type: 'imsqti_item_xmlv2p2',
  },
  '3.0': {
    namespace: 'http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1',
    schema: 'QTI Package',
    version: '3.0.0',
    type: 'imsqti_item_xmlv3p0',
  },
};
const DIFFICULTIES = ['easy', 'medium', 'difficult'];

export function writeQti(version: QtiVersion) {
  return (questions: AsyncIterable<PortableQuestion>, options: WriteOptions): AsyncGenerator<Uint8Array> =>
    writeZip(listFiles(questions, version, options));
}

async function* listFiles(
  questions: AsyncIterable<PortableQuestion>,
  version: QtiVersion,
  options: WriteOptions,
): AsyncGenerator<ZipContent> {
  const { namespace, schema, version: schemaVersion, type } = MANIFESTS[version];
  const resources: string[] = [];
  for await (const question of questions) {
    const index = resources.length;
    const path = `items/${Math.floor(index / ITEMS_PER_FOLDER)}/item-${index + 1}.xml`;
    const notice = (code: string, detail: string) => options.onNotice({ index, code, detail });
    if (hasBadText(question)) notice('characters_dropped', 'Characters that XML cannot have are left out.');
    resources.push(
      `<resource identifier="R${index + 1}" type="${type}" href="${path}">${metadataXml(question)}<file href="${path}"/></resource>\n`,
    );
    yield { path, content: Buffer.from(writeItem(question, `Q${index + 1}`, version, notice)) };
  }
  const head =
    `<?xml version="1.0" encoding="UTF-8"?>\n<manifest xmlns="${namespace}" identifier="MANIFEST">` +
    `<metadata><schema>${schema}</schema><schemaversion>${schemaVersion}</schemaversion></metadata>\n<organizations/>\n<resources>\n`;
  async function* manifest() {
    yield Buffer.from(head);
    for (const resource of resources) yield Buffer.from(resource);
    yield Buffer.from('</resources>\n</manifest>\n');
  }
  yield { path: MANIFEST, content: manifest() };
}

const hasBadText = (value: unknown): boolean =>
  typeof value === 'string'
    ? hasCharactersOutsideXml(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasBadText);

const text = (name: string, value: string) =>
  `<${name}${value.trim() === value ? '' : ' xml:space="preserve"'}>${escapeXml(value)}</${name}>`;
const string = (value: string) => text('string', value);

function metadataXml(question: PortableQuestion): string {
  const { external_id, tags = [], difficulty, category, topic_focus, source } = question;
  const general =
    `<identifier><catalog>quaestor</catalog>${external_id === undefined ? '' : text('entry', external_id)}</identifier>` +
    tags.map((tag) => `<keyword>${string(tag)}</keyword>`).join('');
  const relation =
    source === undefined
      ? ''
      : `<relation><kind><source>LOMv1.0</source><value>isbasedon</value></kind><resource><description>${string(source)}</description></resource></relation>`;
  const educational =
    difficulty === undefined
      ? ''
      : `<educational><difficulty><source>LOMv1.0</source><value>${DIFFICULTIES[difficulty]}</value></difficulty></educational>`;
  const taxons = [category ?? '', topic_focus ?? ''].map(
    (entry) => `<taxon><entry>${string(entry)}</entry></taxon>`,
  );
  const classification =
    category === undefined && topic_focus === undefined
      ? ''
      : `<classification><taxonPath>${taxons.join('')}</taxonPath></classification>`;
  const lom = `<general>${general}</general>${educational}${relation}${classification}`;
  return `<metadata><lom xmlns="http://ltsc.ieee.org/xsd/LOM">${lom}</lom></metadata>`;
}

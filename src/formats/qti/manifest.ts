/** The manifest of a package: its files in order, with their metadata (LOM). */
import { posix } from 'node:path';
import type { PortableQuestion } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { openEncoded } from '../xml/encoding.ts';
import { scanElements } from '../xml/scan.ts';
import { findChild, findDescendants, parseXml, textOf, type XmlElement } from '../xml/tree.ts';
import type { ZipArchive } from '../zip/read.ts';

export const MANIFEST = 'imsmanifest.xml';
const MAX_RESOURCE_BYTES = 1_000_000;
const PREFIXED_RESOURCE = /<([A-Za-z_][\w.-]*:)resource[\s>]/;

export interface Resource {
  /** In the archive. */
  path: string;
  type: string;
  metadata: ItemMetadata;
}
export type ItemMetadata = Pick<
  PortableQuestion,
  'external_id' | 'category' | 'topic_focus' | 'difficulty' | 'tags' | 'source'
>;

/** The manifest nearest to the root: some tools put a folder around everything. */
export function findManifest(paths: readonly string[]): string | undefined {
  return paths
    .filter((path) => posix.basename(path).toLowerCase() === MANIFEST && !path.startsWith('__MACOSX/'))
    .sort((a, b) => a.split('/').length - b.split('/').length)[0];
}

export async function* readManifest(archive: ZipArchive, manifest: string): AsyncGenerator<Resource> {
  const { chunks, decode } = await openEncoded(archive.stream(manifest), undefined);
  const { name, all } = await findResourceName(chunks);
  let base = posix.dirname(manifest);
  for await (const scanned of scanElements(all, name, MAX_RESOURCE_BYTES, true)) {
    const { text } = decode(scanned.bytes);
    if (scanned.kind === 'rest') {
      for (const [, value] of text.matchAll(/<[^<>]*?\sxml:base\s*=\s*"([^"]*)"/g))
        base = posix.join(base, toPath(value!));
      continue;
    }
    if (scanned.state !== 'complete') continue;
    try {
      const element = parseXml(text, { at: { line: scanned.line, path: manifest } });
      const resource = readResource(element, base);
      if (resource) yield resource;
    } catch (error) {
      // A resource that is not well-formed is found among the files that the manifest does not name.
      if (!(error instanceof RejectItem)) throw error;
    }
  }
}

/** `resource`, or a name with a prefix. */
async function findResourceName(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const { value: first } = await iterator.next();
  const prefix = PREFIXED_RESOURCE.exec(Buffer.from(first ?? []).toString('latin1'))?.[1] ?? '';
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first) yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { name: `${prefix}resource`, all: all() };
}

function readResource(element: XmlElement, base: string): Resource | undefined {
  const { href, file, type = '' } = element.attributes;
  const first = findChild(element, 'file')?.attributes.href;
  const target = file ?? href ?? first;
  if (!target) return undefined;
  const folder = posix.join(base, toPath(element.attributes.base ?? ''));
  return { path: resolvePath(folder, target), type, metadata: readMetadata(element) };
}

/** The path of a relative address, which is percent-encoded and may have backslashes. */
function toPath(href: string): string {
  const plain = href.replace(/[?#].*$/, '').replaceAll('\\', '/');
  try {
    return decodeURIComponent(plain).normalize('NFC');
  } catch {
    return plain.normalize('NFC');
  }
}

export const resolvePath = (folder: string, href: string): string =>
  posix.join(folder, toPath(href)).replace(/^(?:\.?\/)+/, '');

const DIFFICULTIES: Record<string, 0 | 1 | 2> = {
  'very easy': 0,
  easy: 0,
  medium: 1,
  difficult: 2,
  hard: 2,
  'very difficult': 2,
};

function readMetadata(resource: XmlElement): ItemMetadata {
  const [lom] = findDescendants(resource, 'lom');
  if (!lom) return {};
  const metadata: ItemMetadata = {};
  const tags = findDescendants(lom, 'keyword').map(readString);
  const distinct = [...new Set(tags)].filter((tag) => tag !== '');
  if (distinct.length > 0) metadata.tags = distinct;
  const difficulty = textOf(findDescendants(lom, 'difficulty')[0])
    .replace(/^\s*LOMv1\.0\s*/, '')
    .trim()
    .toLowerCase();
  if (difficulty in DIFFICULTIES) metadata.difficulty = DIFFICULTIES[difficulty]!;
  const [classification] = findDescendants(lom, 'classification');
  const taxons = classification ? findDescendants(classification, 'taxon') : [];
  const entries = taxons.map((taxon) => readString(findChild(taxon, 'entry')));
  const isOwn = findDescendants(lom, 'catalog').some((catalog) => textOf(catalog) === 'quaestor');
  if (isOwn) return Object.assign(metadata, readOwn(lom, entries));
  const category = entries.filter((entry) => entry !== '').join('/');
  if (category !== '') metadata.category = category;
  return metadata;
}

/** Fields as this program writes them. */
function readOwn(lom: XmlElement, [category, topic]: readonly string[]): ItemMetadata {
  const own: ItemMetadata = {};
  const [identifier] = findDescendants(lom, 'identifier');
  const id = readString(identifier && findChild(identifier, 'entry'));
  const source = readString(
    findDescendants(lom, 'relation').flatMap((r) => findDescendants(r, 'description'))[0],
  );
  if (id !== '') own.external_id = id;
  if (category) own.category = category;
  if (topic) own.topic_focus = topic;
  if (source !== '') own.source = source;
  return own;
}

/** The text of `<string>` or `<langstring>`, of which the first counts. */
function readString(element: XmlElement | undefined): string {
  if (!element) return '';
  const holder = findChild(element, 'string') ?? findChild(element, 'langstring') ?? element;
  return holder.attributes.space === 'preserve' ? textOf(holder) : textOf(holder).trim();
}

/** Reads packages: items of QTI 2.x and 3.0, and files of 1.2, in the order of the manifest. */
import { posix } from 'node:path';
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import { readQti12 } from '../qti12/read.ts';
import { RejectItem } from '../reject-item.ts';
import { findChild, type XmlElement, type XmlNode } from '../xml/tree.ts';
import { openZip, type ZipArchive } from '../zip/read.ts';
import { type DocumentKind, parseItem, readDocument, sniff } from './document.ts';
import { findManifest, type ItemMetadata, readManifest, resolvePath } from './manifest.ts';

const ITEM_FILE = /\.(?:xml|dat|qti)$/i;
const SNIFF_BYTES = 16 * 1024;

export async function* readPackage(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem> {
  const archive = await openZip(source);
  try {
    yield* new PackageReader(archive, options).read();
  } finally {
    archive.close();
  }
}

class PackageReader {
  readonly #archive: ZipArchive;
  readonly #options: ReadOptions;
  readonly #seen = new Set<string>();
  #questionFiles = 0;

  constructor(archive: ZipArchive, options: ReadOptions) {
    this.#archive = archive;
    this.#options = options;
  }

  async *read(): AsyncGenerator<ReadItem> {
    const { paths } = this.#archive;
    const manifest = findManifest(paths);
    if (manifest === undefined)
      yield notice('no_manifest', 'The package has no imsmanifest.xml: its files are read by name.');
    else yield* this.#readListed(manifest);
    yield* this.#readUnlisted(manifest);
    if (this.#questionFiles > 0) return;
    if (manifest === undefined)
      throw new UnreadableFile('not_qti', 'The archive is not a QTI package: it has no items.');
    yield notice('no_questions', 'The package has no items.');
  }

  async *#readListed(manifest: string): AsyncGenerator<ReadItem> {
    try {
      for await (const { path, type, metadata } of readManifest(this.#archive, manifest)) {
        if (this.#seen.has(path)) continue;
        this.#seen.add(path);
        const isItem = /qti|assessment/i.test(type);
        if (this.#archive.has(path)) yield* this.#readFile(path, metadata);
        else if (isItem)
          yield reject('file_missing', `The manifest names ${path}, which is not in the package.`, path);
      }
    } catch (error) {
      // Without its manifest, a package is read by the names of its files.
      if (!(error instanceof RejectItem)) throw error;
      yield reject(error.code, error.detail, manifest);
    }
  }

  async *#readUnlisted(manifest: string | undefined): AsyncGenerator<ReadItem> {
    for (const path of this.#archive.paths) {
      if (this.#seen.has(path) || path.startsWith('__MACOSX/') || path === manifest) continue;
      if (/\.(?:zip|imscc)$/i.test(path))
        yield reject('zip_in_zip', `${path} is an archive within the package. Read it by itself.`, path);
      if (!ITEM_FILE.test(path)) continue;
      const before = this.#questionFiles;
      yield* this.#readFile(path, {});
      if (manifest !== undefined && this.#questionFiles > before)
        yield notice('not_in_manifest', `The manifest does not name ${path}.`, path);
    }
  }

  async *#readFile(path: string, metadata: ItemMetadata): AsyncGenerator<ReadItem> {
    if (!ITEM_FILE.test(path)) return;
    try {
      const kind = await this.#sniff(path);
      if (kind === 'test')
        yield notice('test_structure_dropped', 'The order and weights of a test are lost.', path);
      if (kind === 'item') {
        this.#questionFiles++;
        yield await this.#readItem(path, metadata);
      } else if (kind === 'qti12' && !this.#isSuperseded(path)) {
        this.#questionFiles++;
        yield* readQti12(this.#archive.stream(path), this.#options, path);
      }
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      this.#questionFiles++;
      yield reject(error.code, error.detail, path);
    }
  }

  /** Canvas writes a test twice: in full, and as Common Cartridge without what that cannot have. */
  #isSuperseded(path: string): boolean {
    if (path.includes('non_cc_assessments/')) return false;
    const [, folder = ''] = /([^/]+)\/[^/]+\.xml$/.exec(path) ?? [];
    return (
      folder !== '' &&
      this.#archive.paths.some((other) => other.endsWith(`non_cc_assessments/${folder}.xml.qti`))
    );
  }

  async #sniff(path: string): Promise<DocumentKind | undefined> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.#archive.stream(path)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= SNIFF_BYTES) break;
    }
    return sniff(Buffer.concat(chunks));
  }

  async #readItem(path: string, metadata: ItemMetadata): Promise<ReadItem> {
    const raw = await this.#archive.read(path, this.#options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
    const load = (href: string) => this.#loadStimulus(resolvePath(posix.dirname(path), href));
    const item = await readDocument(raw, { line: 1, path }, this.#options, load);
    if (item.kind !== 'question') return item;
    const question = { ...item.value.question, ...metadata };
    return { kind: 'question', value: { ...item.value, question } };
  }

  async #loadStimulus(path: string): Promise<XmlNode[]> {
    if (!this.#archive.has(path))
      throw new RejectItem(
        'needs_stimulus',
        `The item refers to the text ${path}, which is not in the package.`,
      );
    const bytes = await this.#archive.read(path, this.#options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
    const root: XmlElement = parseItem(bytes, { line: 1, path }, this.#options);
    return (findChild(root, 'stimulusBody') ?? root).children;
  }
}

const notice = (code: string, detail: string, path?: string): ReadItem => ({
  kind: 'notice',
  value: { code, detail, position: path === undefined ? { line: 1 } : { line: 1, path } },
});

const reject = (code: string, detail: string, path: string): ReadItem => ({
  kind: 'reject',
  value: { code, detail, position: { line: 1, path }, raw: undefined },
});

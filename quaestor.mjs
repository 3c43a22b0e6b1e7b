#!/usr/bin/env node
// The command line, run by the Node that npm installed (run.mjs).
import { fileURLToPath } from 'node:url';

process.argv.splice(2, 0, fileURLToPath(new URL('./src/cli/main.ts', import.meta.url)));
await import('./run.mjs');

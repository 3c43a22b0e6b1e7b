/**
 * Power cuts. The service runs with disk-shim.c, which records its writes and syncs. At many points
 * of that record a disk is built that lacks any part of what was not synced by then, and the bank
 * on it is opened and compared with what had been acknowledged.
 */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import type { TortureCase } from '../case.ts';
import { type DiskRecord, DiskState, readDiskLog } from '../support/disk-log.ts';
import { compileDiskShim, DiskFaults, FAULT_KINDS } from '../support/disk-shim.ts';
import { checkImage } from '../support/image.ts';
import { Model } from '../support/model.ts';
import { Service } from '../support/service.ts';
import { Writer, type Writers } from '../support/writers.ts';

const WRITERS = 6;
/** Points per recorded run of the service. */
const MAX_POINTS = 1000;
const CONTROL_POINTS = 10;
/** How the three processes of a run end: the second finds a closed database, the third recovers. */
const ENDS: NodeJS.Signals[] = ['SIGTERM', 'SIGKILL', 'SIGTERM'];
/** Enough for several checkpoints, which follow a thousand pages. */
const WRITES_PER_PROCESS = 90;
/** After this many acknowledgements a sync fails, once. */
const WRITES_PER_FAILED_SYNC = 40;

interface Recording {
  root: string;
  records: DiskRecord[];
  /** Acknowledgement times are indices of records. */
  model: Model;
  acknowledged: number;
  failedSyncs: number;
  violations: string[];
}

/** Runs the service on a new bank, and records it. */
async function record(folder: string, library: string, random: Random): Promise<Recording> {
  const root = join(folder, 'root');
  mkdirSync(root);
  const log = join(folder, 'log');
  const faults = new DiskFaults(join(folder, 'faults'));
  const env = {
    QUAESTOR_DATA_DIR: join(root, 'data'),
    LD_PRELOAD: library,
    DISK_SHIM_FOLDER: root,
    DISK_SHIM_LOG: log,
    DISK_SHIM_FAULTS: faults.path,
  };
  const requests: string[] = [];
  const shared: Writers = {
    ...{ model: new Model(), random, service: await Service.start(env), violations: [], acknowledged: 0 },
    now: ({ headers }) => requests.push(String(headers['x-request-id'])) - 1,
  };
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(shared, i));
  const { token } = shared.service;
  let failedSyncs = 0;
  for (const [i, signal] of ENDS.entries()) {
    if (i > 0) shared.service = await Service.start(env, token);
    await Promise.all(writers.map((writer) => writer.repeat()));
    const enough = shared.acknowledged + WRITES_PER_PROCESS + random.below(WRITES_PER_PROCESS);
    let nextFault = shared.acknowledged + random.below(WRITES_PER_FAILED_SYNC);
    await Promise.all(
      writers.map(async (writer) => {
        while (shared.acknowledged < enough && shared.service.running) {
          if (shared.acknowledged >= nextFault) {
            nextFault = shared.acknowledged + WRITES_PER_FAILED_SYNC;
            failedSyncs += faults.failed;
            faults.arm({ at: 1, error: 'EIO', lasts: false }, FAULT_KINDS.sync);
          }
          await writer.step();
          if (signal === 'SIGKILL' && shared.acknowledged >= enough) await shared.service.end(signal);
        }
      }),
    );
    failedSyncs += faults.failed;
    faults.count(0);
    if (signal !== 'SIGKILL') await Promise.all(writers.map((writer) => writer.repeat()));
    await shared.service.end(signal);
  }
  faults.close();
  const records = readDiskLog(log);
  const responses = new Map<string, number>();
  for (const [i, { kind, data }] of records.entries()) {
    const id = kind === 'response' && /^x-request-id: (\S+)/im.exec(data.toString('latin1'))?.[1];
    if (id) responses.set(id, i);
  }
  shared.model.mapTimes((time) => {
    const index = responses.get(requests[time]!);
    if (index === undefined) throw new Error(`the log has no response to request ${requests[time]}`);
    return index;
  });
  const { model, acknowledged, violations } = shared;
  return { root, records, model, acknowledged, failedSyncs, violations };
}

/** Half of the points are right after an acknowledgement, the others anywhere. */
function choosePoints(records: DiskRecord[], n: number, random: Random): number[] {
  const responses = records.flatMap(({ kind }, i) => (kind === 'response' ? [i] : []));
  const points = Array.from({ length: n }, (_, i) =>
    i % 2 ? random.below(records.length) : random.pick(responses),
  );
  return points.sort((a, b) => a - b);
}

interface Cuts {
  recording: Recording;
  points: number[];
  random: Random;
  ignoresSyncs: boolean;
  scratch: string;
  expired(): boolean;
}

/**
 * Cuts the power after each of the records; calls back with what is wrong with each image, and how
 * to write it again, since opening it has changed it.
 */
async function cut(
  { recording, points, random, ignoresSyncs, scratch, expired }: Cuts,
  report: (point: number, violations: string[], writeImage: (folder: string) => void) => void,
): Promise<void> {
  const { root, records, model } = recording;
  const disk = new DiskState(root, random, ignoresSyncs);
  let replayed = 0;
  for (const point of points) {
    if (expired()) return;
    while (replayed <= point) disk.replay(records[replayed++]!);
    const image = join(scratch, 'image');
    mkdirSync(image, { recursive: true });
    const fate = random.below(2 ** 31);
    const writeImage = (folder: string) => disk.writeImage(folder, createRandom(fate));
    writeImage(image);
    report(point, await checkImage(join(image, 'data'), model, point), writeImage);
    removeFolder(image);
  }
}

export const powerCut: TortureCase = {
  name: 'power-cut',
  promise: 'a power cut loses nothing that was acknowledged and corrupts nothing (SQLite)',
  rounds: { short: 60, long: 10_000 },
  run: async ({ seed, rounds, expired, progress }) => {
    // In memory, since images are written by the thousand; but that file system may be noexec.
    const scratch = tempFolder(existsSync('/dev/shm') ? '/dev/shm' : undefined);
    const programs = tempFolder();
    const shim = compileDiskShim(programs);
    const violations: string[] = [];
    const figures = {
      images: 0,
      acknowledged: 0,
      records: 0,
      failed_syncs: 0,
      control_images: 0,
      control_broken: 0,
    };
    if ('skipped' in shim) {
      for (const folder of [scratch, programs]) removeFolder(folder);
      return { rounds: 0, figures: {}, violations, skipped: shim.skipped };
    }
    try {
      for (let run = 0; figures.images < rounds && !expired() && violations.length === 0; run++) {
        const random = createRandom(seed + run);
        const folder = join(scratch, `run-${run}`);
        mkdirSync(folder);
        const recording = await record(folder, shim.library, random);
        const { records, acknowledged, failedSyncs } = recording;
        figures.acknowledged += acknowledged;
        figures.records += records.length;
        figures.failed_syncs += failedSyncs;
        violations.push(...recording.violations.map((text) => `seed ${seed + run}: ${text}`));
        const points = choosePoints(records, Math.min(MAX_POINTS, rounds - figures.images), random);
        const cuts = { recording, random, scratch, expired };
        await cut({ ...cuts, points, ignoresSyncs: false }, (point, found, writeImage) => {
          progress(++figures.images);
          if (found.length === 0 || violations.length > 0) return;
          const kept = tempFolder();
          writeImage(kept);
          cpSync(join(folder, 'log'), join(kept, 'log'));
          violations.push(
            ...found.map((text) => `seed ${seed + run}, record ${point}, kept in ${kept}: ${text}`),
          );
        });
        const controls = choosePoints(records, CONTROL_POINTS, random);
        await cut({ ...cuts, points: controls, ignoresSyncs: true }, (_point, found) => {
          figures.control_images++;
          if (found.length > 0) figures.control_broken++;
        });
        removeFolder(folder);
      }
      if (figures.control_images > 0 && figures.control_broken === 0)
        violations.push('the control, which ignores syncs, lost nothing: the case cannot find a loss');
    } finally {
      for (const folder of [scratch, programs]) removeFolder(folder);
    }
    return { rounds: figures.images, figures, violations };
  },
};

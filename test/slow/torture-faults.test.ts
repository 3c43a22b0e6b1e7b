import { testTorture } from '../support/torture.ts';

testTorture('faults');

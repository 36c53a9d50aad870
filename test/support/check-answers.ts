import '../../src/features/modules.ts';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { forgetAll, takeProblems } from './documented-answers.ts';

// A setup file of vitest: unlike a module, which files of one worker share, it is run for each file.
afterEach(() => {
  expect(takeProblems(), 'answers that are not as the OpenAPI document says').toEqual([]);
});

// The next file of this process meets neither this one's services nor its spies.
afterAll(() => {
  forgetAll();
  vi.restoreAllMocks();
});

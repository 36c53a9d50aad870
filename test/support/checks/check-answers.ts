// Tests make states: as in every program, the list of features fills the tables of collections first.
import '../../../src/features/modules.ts';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { forgetAll, takeProblems } from './documented-answers.ts';

// A setup file of vitest: unlike a module, which files of one worker share, it is run for each file.
afterEach(() => {
  const problems = takeProblems();
  if (problems.length > 0) expect(problems, 'answers that do not conform to the OpenAPI document').toEqual([]);
});

// The next file of this process must not see the services, spies or fake timers of this one.
afterAll(() => {
  forgetAll();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line that any script can read. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
      }
    }
    const leftOut = process.env.BURGEE_LEFT_OUT;
    const warning = leftOut ? `\nNOT RUN: ${leftOut}; install it and run the tests again.\n` : '';
    // A configuration without variables has no `env`.
    const seed = modules[0]?.project.config.env?.BURGEE_SEED;
    const drawn = seed === undefined ? '' : `\nRandom tests: BURGEE_SEED=${seed}\n`;
    process.on('exit', () => process.stdout.write(`${warning}${drawn}\n${passed} passed, ${failed} failed\n`));
  }
}

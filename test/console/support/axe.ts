import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The popup is outside of the landmarks. */
const NOT_OF_POPUPS = ['region'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Fails if axe finds something that WCAG 2.2 AA forbids. The content security policy of the page forbids added scripts, so axe is evaluated through the
 * protocol of the developer tools.
 */
export async function expectAccessible(page: Page, where: string, hasPopup = false): Promise<void> {
  // Each screen has one, and a screen that still loads has none.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  const rules = Object.fromEntries((hasPopup ? NOT_OF_POPUPS : []).map((rule) => [rule, { enabled: false }]));
  const session = await page.context().newCDPSession(page);
  try {
    const { result: found } = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
    if (found.value === 'undefined') await session.send('Runtime.evaluate', { expression: `${AXE}; 0` });
    const expression = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, rules: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then((result) => JSON.stringify(result.violations))`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    expect(exceptionDetails?.exception?.description, where).toBeUndefined();
    const violations = JSON.parse(String(result.value)) as Violation[];
    const problems = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 300)} ${failureSummary}`),
    );
    if (problems.length > 0) throw new Error(`${where}:\n${problems.join('\n')}`);
  } finally {
    await session.detach();
  }
}

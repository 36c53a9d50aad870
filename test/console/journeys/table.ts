import type { Job } from './jobs.ts';
import { stepWords } from './steps.ts';
import type { WayName } from './ways.ts';

/** How many steps each way took for each job, in the order of the jobs. */
export type Counted = Readonly<Record<WayName, readonly number[]>>;

const MARKED = /(<!-- steps -->\n)[\s\S]*?(<!-- \/steps -->)/;

/** The page with the table of the jobs. */
export function withJobsTable(page: string, jobs: readonly Job[], counted: Counted): string {
  const rows = jobs.map(({ title, steps, aim }, at) => {
    const counts = [counted.pointer[at], counted.keyboard[at], counted.touch[at], aim];
    return `| ${title} | ${steps.map(stepWords).join(' → ')} | ${counts.join(' | ')} |`;
  });
  const head = ['| job | how | pointer | keyboard | phone | aim |', '|---|---|---|---|---|---|'];
  return page.replace(MARKED, (_all, start, end) => `${start}${[...head, ...rows].join('\n')}\n${end}`);
}

import { readFileSync, writeFileSync } from 'node:fs';
import { withOptionsTable } from './options-table.ts';

/** `npm run readme`: brings the README's table of options up to date. */
const [, , file = 'README.md'] = process.argv;
writeFileSync(file, withOptionsTable(readFileSync(file, 'utf8')));

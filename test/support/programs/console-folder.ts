import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** A script that is longer than its compressed forms. */
export const SCRIPT = `export const words = ${JSON.stringify(Array.from({ length: 200 }, (_, index) => `word ${index}`))};\n`;

/** As the build of the console writes it. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="burgee-base" content="%BURGEE_BASE%">
<title>Burgee</title>
<script type="module" crossorigin src="%BURGEE_BASE%/assets/index-AbCd1234.js"></script>
<link rel="stylesheet" crossorigin href="%BURGEE_BASE%/assets/index-EfGh5678.css">
</head>
<body><div id="root"></div></body>
</html>
`;

/** A small folder as a build of the console makes it. The style sheet has no compressed forms. */
export function makeConsoleFolder(): { readonly folder: string; remove(): void } {
  const folder = `${mkdtempSync(join(tmpdir(), 'burgee-console-'))}/`;
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  const script = join(folder, 'assets/index-AbCd1234.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/index-EfGh5678.css'), 'body { margin: 0 }\n');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

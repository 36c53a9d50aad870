// Before `npm start`, and before the package is packed: builds what is run. Where the compiler was left out (npm install --omit=dev, npm prune), what
// was built earlier is run. With --where-possible, as after every `npm install`, nothing is said where there is neither.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vendorSwaggerUi } from './vendor-swagger-ui.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = 'node_modules/typescript/bin/tsc';

if (existsSync(`${root}${compiler}`)) {
  const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (error) throw error;
  vendorSwaggerUi();
  process.exitCode = status ?? 1;
  if (status === 0) await import('./bundle.mjs');
} else if (!existsSync(`${root}dist/src/main.js`) && !process.argv.includes('--where-possible')) {
  process.stderr.write(
    'Burgee is not built yet, and the compiler is not installed. Build it once with everything installed, then leave out what only ' +
      'the build needs:\n\n  npm install && npm run build && npm prune --omit=dev && npm start\n\n',
  );
  process.exitCode = 1;
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const BURGEE = process.env.BURGEE_URL ?? 'http://127.0.0.1:4242';

/** The server replaces this text in index.html by its BASE_URI_PATH. */
const BASE = '%BURGEE_BASE%';

/** Links of the page keep the text as it is in a build. The development server replaces it as the server does. */
function renderBase(): Plugin[] {
  return [
    {
      name: 'keep-base',
      apply: 'build',
      enforce: 'post',
      generateBundle: (_, bundle) => {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') throw new Error('The build has no index.html.');
        page.source = String(page.source).replaceAll(encodeURI(BASE), BASE);
      },
    },
    { name: 'render-base', apply: 'serve', transformIndexHtml: (page) => page.replaceAll(BASE, '') },
  ];
}

/**
 * Every style sheet begins with the order of the layers. A page loads the sheets of shared parts before its own sheet, and the first sheet that names
 * a layer decides its order.
 */
function orderLayers(): Plugin {
  const order = readFileSync(new URL('src/styles/layers.css', import.meta.url), 'utf8').match(/^@layer .*;$/m)?.[0];
  if (order === undefined) throw new Error('src/styles/layers.css has no order of layers.');
  return {
    name: 'order-layers',
    apply: 'build',
    enforce: 'post',
    generateBundle: (_, bundle) => {
      for (const [name, output] of Object.entries(bundle))
        if (output.type === 'asset' && name.endsWith('.css')) output.source = `${order}${output.source}`;
    },
  };
}

/** The modules by the ends of their class names. */
const modules = new Map<string, string>();

/** The classes of a module have one end: ends of their own for all classes would not compress. */
function scopedName(name: string, file: string): string {
  const path = relative(fileURLToPath(new URL('src', import.meta.url)), file.replace(/\?.*$/, ''));
  const end = createHash('sha256').update(path).digest('base64url').slice(0, 3);
  if (modules.has(end) && modules.get(end) !== path)
    throw new Error(`${path} and ${modules.get(end)} have the same end.`);
  modules.set(end, path);
  return `${name}_${end}`;
}

/** What Base UI hides from screen readers although it takes the focus, which WCAG forbids: file → text and what is sent in its stead. */
const HIDDEN_BY_BASE_UI = {
  // The elements at both ends of a popup that pass the focus on.
  '/utils/FocusGuard.mjs': ['"aria-hidden": role ? undefined : true,', ''],
  // The page beside a list that is found by typing.
  '/components/FloatingFocusManager.mjs': [
    'ariaHidden: modal || isUntrappedTypeableCombobox,',
    'ariaHidden: modal && !isUntrappedTypeableCombobox,',
  ],
} as const;

function showWhatIsFocused(): Plugin {
  return {
    name: 'show-what-is-focused',
    apply: 'build',
    transform(code, id) {
      const found = Object.entries(HIDDEN_BY_BASE_UI).find(([ending]) => id.endsWith(ending));
      if (!found) return undefined;
      const [, [hidden, shown]] = found;
      if (!code.includes(hidden)) throw new Error(`${id} has changed: see what it hides while a popup is open.`);
      return code.replace(hidden, shown);
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), renderBase(), orderLayers(), showWhatIsFocused()],
  // The page is served at every depth, so its own links are absolute; scripts find their chunks relative to themselves.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `${BASE}/${name}` : { relative: true }),
  },
  css: { modules: { generateScopedName: scopedName } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The licences of the packages in the scripts must be delivered with them.
    license: { fileName: 'licences.json' },
    target: 'es2023',
    // light-dark() is sent as it is: what it is lowered to is larger and does not follow a changed theme in every place.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy allows no inline script, and data: only for images.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // One style sheet: all of it is smaller than what the requests for its parts would cost.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'], priority: 2 },
            // What several screens use is in two files, not in one for each module.
            { name: 'texts', test: /\/console\/src\/words\//, priority: 1, minShareCount: 2 },
            {
              name: 'common',
              test: /\/console\/src\/(?!kit\/loaded|words)|node_modules\/lucide-react/,
              priority: 1,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: {
      '/api': BURGEE,
      '/auth': BURGEE,
      '/logout': BURGEE,
      '/invite': BURGEE,
      '/health': BURGEE,
      '/docs': BURGEE,
    },
  },
});

// Reads a Dockerfile and a .dockerignore. Supports only the syntax that Burgee's own files use; test/deploy/deploy.test.ts checks these files.

/** The stages of a Dockerfile, in order, with their steps. */
export function readDockerfile(text) {
  const joined = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  const stages = [];
  for (const line of joined.split('\n').filter((each) => each.trim() !== '')) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    const words = readWords(rest);
    if (instruction === 'FROM') {
      const [from = '', as, name] = words.plain;
      stages.push({ from, name: as?.toUpperCase() === 'AS' ? name : String(stages.length), steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`${instruction} comes before FROM`);
    stage.steps.push({ instruction, text: rest, words, json: rest.startsWith('[') ? JSON.parse(rest) : undefined });
  }
  return stages;
}

function readWords(text) {
  const words = [...text.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
  const isFlag = (word) => word.startsWith('--');
  return {
    plain: words.filter((word) => !isFlag(word)),
    flags: Object.fromEntries(words.filter(isFlag).map((word) => word.slice(2).split(/=(.*)/s).slice(0, 2))),
    pairs: Object.fromEntries(words.filter((word) => word.includes('=') && !isFlag(word)).map((word) => word.split(/=(.*)/s).slice(0, 2))),
  };
}

/**
 * Returns a function that says whether a path of the build context is ignored. The last line that matches the path, or a folder above it, decides.
 * The only wildcard is a line with only `*`.
 */
export function ignoredBy(text) {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  return (path, isFolder) => {
    let isIgnored = false;
    for (const { isKept, pattern } of rules) {
      if (pattern === '*' || path === pattern || path.startsWith(`${pattern}/`)) isIgnored = !isKept;
      // A folder is not ignored when something below it is kept.
      else if (isKept && isFolder && pattern.startsWith(`${path}/`)) isIgnored = false;
    }
    return isIgnored;
  };
}

import { ProgramError } from '../program/subcommand.ts';

/** A saved file, and its name for messages. */
export interface SavedFile {
  readonly name: string;
  readonly text: string;
}

/** Maximum length of YAML, in characters. Parsing it needs about ten seconds and a gigabyte of memory; JSON needs a hundredth of both. */
export const YAML_LENGTH_MAX = 16 * 1024 * 1024;

/** The parsed documents of a file. JSON has one document, YAML may have several. @throws ProgramError */
export async function documentsOf({ name, text }: SavedFile): Promise<unknown[]> {
  try {
    return [JSON.parse(text)];
  } catch {
    if (/\.json$/i.test(name) || /^\s*[{[]/.test(text))
      throw new ProgramError(`${name} is not valid JSON. Perhaps the file is truncated`);
  }
  if (text.length > YAML_LENGTH_MAX)
    throw new ProgramError(`${name} has more than ${YAML_LENGTH_MAX} characters of YAML: save it as JSON`);
  try {
    return await yamlDocumentsOf(text);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new ProgramError(`${name} is neither JSON nor YAML: ${line}`);
  }
}

async function yamlDocumentsOf(text: string): Promise<unknown[]> {
  // Loaded on demand: only YAML files need it.
  const { isScalar, parseAllDocuments, visit } = await import('yaml');
  // The parser's own check for duplicate keys compares each key with all others of the map, which takes minutes for many keys.
  const documents = parseAllDocuments(text, { uniqueKeys: false });
  return documents.map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    visit(document, {
      Map: (_key, { items }) => {
        const keys = new Set<unknown>();
        for (const { key } of items) {
          const value = isScalar(key) ? key.value : undefined;
          if (value === undefined || value === '<<') continue;
          if (keys.has(value)) throw new Error(`the key ${JSON.stringify(value)} occurs twice`);
          keys.add(value);
        }
      },
    });
    return document.toJS() as unknown;
  });
}

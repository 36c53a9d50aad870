import { assert } from '../base/assert.ts';

/** A long-lived part of a process. */
interface Component {
  readonly name: string;
  /** Names of the components that this one uses until it is closed. They are added before this component, and closed after it. */
  readonly dependsOn?: readonly string[];
  /** Called once the state is loaded. */
  start?(): void;
  /** Called when all components that depend on this one are closed. Independent components may close at the same time. */
  close?(): void | Promise<void>;
}

/** Starts components in the order in which they were added, and closes each component after the components that depend on it. */
export class Components {
  readonly #components: Component[] = [];
  #closing: Promise<void> | undefined;

  add(component: Component): void {
    const { name, dependsOn = [] } = component;
    const names = this.names;
    assert(!names.includes(name), `two components are named ${name}`);
    for (const other of dependsOn)
      assert(names.includes(other), `${name} depends on ${other}, which was not added before it`);
    this.#components.push(component);
  }

  get names(): readonly string[] {
    return this.#components.map(({ name }) => name);
  }

  start(): void {
    if (this.#closing) return;
    for (const component of this.#components) component.start?.();
  }

  /** Closes all components, even if one fails to close. When all are closed, the promise rejects with the first error, if there was one. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const closings = new Map<Component, Promise<void>>();
    // Dependents were added later than the components that they depend on. This loop goes backwards, so the promises of all dependents exist already.
    for (const component of this.#components.toReversed()) {
      const dependents = this.#components.filter(({ dependsOn = [] }) => dependsOn.includes(component.name));
      const dependentsClosed = Promise.allSettled(dependents.map((dependent) => closings.get(dependent)));
      closings.set(
        component,
        dependentsClosed.then(() => component.close?.()),
      );
    }
    const outcomes = await Promise.allSettled(closings.values());
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

import type { Answer, ContractWorld } from './contract-world.ts';
import type { Operation } from './rows.ts';

/** One row of the contract, proven: what is sent, and what beside status and body is looked at. */
export interface ContractCase {
  readonly operation: Operation;
  readonly status: number;
  /** A sentence that goes on from "… when": how the status comes about. */
  readonly when: string;
  readonly send: (world: ContractWorld) => Promise<Answer>;
  /** What the contract says in words. Throws where it is not so. */
  readonly check?: (answer: Answer, world: ContractWorld) => void | Promise<void>;
}

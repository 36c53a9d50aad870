/** CPU time of this process that `work` took, in milliseconds: unlike wall-clock time, it does not depend on other work on the machine. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The longest step by CPU time, in milliseconds. It is the shortest result of several tries, because garbage collection and compilation happen at random. */
export function longestStepMs(begin: () => Iterator<unknown>, tries = 5): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < tries; count++) {
    const steps = begin();
    let longest = 0;
    for (let isDone = false; !isDone; ) {
      const took = cpuMs(() => {
        isDone = steps.next().done === true;
      });
      longest = Math.max(longest, took);
    }
    shortest = Math.min(shortest, longest);
  }
  return shortest;
}

/** The least of five: a busy machine, a collection or a compilation adds to some of them, work that must be done is in each. */
export function leastCpuMs(work: () => void): number {
  return Math.min(...Array.from({ length: 5 }, () => cpuMs(work)));
}

/** CPU time of this process that `work` took, in milliseconds: unlike wall time, it does not grow with what else the machine does. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The longest of the steps, by CPU time, in milliseconds; of some tries the shortest, for a collection or a compilation strikes now here, now there. */
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

import { expect, it } from 'vitest';
import { covers } from '../../src/model/caller.ts';
import { holdsProject, normalProjects, scopeKey, scopeOf } from '../../src/model/project-list.ts';

const environment = 'development';
const LISTS = [['*'], ['b', '*', 'a'], ['a'], ['b', 'a', 'b'], []];

it('A list of projects contains the projects that its scope covers, in any notation', () => {
  for (const projects of LISTS) {
    for (const project of ['a', 'b', 'c']) {
      expect(holdsProject(projects, project)).toBe(covers(scopeOf({ environment, projects }), project));
      expect(holdsProject(normalProjects(projects), project)).toBe(holdsProject(projects, project));
    }
  }
});

it('Lists of the same projects have the same key, which is stored, and different lists have different keys', () => {
  expect(scopeKey({ environment, projects: ['b', 'a', 'b'] })).toBe('["development","a","b"]');
  expect(scopeKey({ environment, projects: ['a', '*'] })).toBe('["development","*"]');
  const keys = LISTS.map((projects) => scopeKey({ environment, projects }));
  expect(new Set(keys).size).toBe(4);
});

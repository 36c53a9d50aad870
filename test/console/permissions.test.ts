import { describe, expect, it } from 'vitest';
import { permissionName } from '../../console/src/words/en/people/permissions.ts';
import { PERMISSION_NAMES } from '../../src/model/permission.ts';

describe('permissions', () => {
  it('have plain names, each another one', () => {
    const names = PERMISSION_NAMES.map(permissionName);
    expect(PERMISSION_NAMES.filter((id) => permissionName(id) === id)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(permissionName('OF_A_NEWER_VERSION')).toBe('OF_A_NEWER_VERSION');
  });
});

import mustache from 'mustache';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/base/yield-control.ts';
import { filledIn, templateProblem } from '../../../src/features/addons/delivery/templates.ts';

const VIEW = {
  event: {
    id: 7,
    type: 'feature-created',
    project: 'default',
    environment: null,
    createdBy: '<Ann & "Bo">',
    data: { name: 'flag', tags: [{ value: 'a' }, { value: 'b' }], empty: [], zero: 0, nested: { name: 'inner' } },
  },
};

const fill = (template: string, view: object = VIEW, max = 10_000) => atOnce(filledIn(template, view, max));

describe('a template', () => {
  it('gives the same text as the renderer of mustache', () => {
    const templates = [
      'plain',
      '{"type":"{{event.type}}","by":"{{event.createdBy}}","raw":"{{{event.createdBy}}}{{&event.createdBy}}"}',
      '{{#event.data.tags}}[{{value}}{{event.type}}]{{/event.data.tags}}',
      '{{^event.data.empty}}none{{/event.data.empty}}{{#event.data.empty}}some{{/event.data.empty}}',
      '{{#event}}{{#data}}{{name}}{{#nested}}{{name}}{{type}}{{/nested}}{{/data}}{{/event}}',
      '{{^event.environment}}all{{/event.environment}}{{event.data.zero}}{{missing}}{{event.missing.deep}}',
      '{{! comment }}{{=<% %>=}}<% event.type %> {{event.type}}',
      '{{#event.data}}\n  {{name}}\n{{/event.data}}\n',
      '{{> partial}}x',
    ];
    for (const template of templates) expect(fill(template), template).toBe(mustache.render(template, VIEW));
  });

  it('never calls a function and never reads an inherited property', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'event.constructor',
      'event.data.tags.map',
      'event.type.length',
    ];
    for (const name of names) {
      expect(fill(`{{${name}}}`), name).toBe('');
      expect(fill(`{{#${name}}}ran{{/${name}}}`), name).toBe('');
    }
    expect(fill('{{#constructor.constructor}}return process{{/constructor.constructor}}')).toBe('');
    let calls = 0;
    expect(fill('{{#call}}x{{/call}}', { call: () => calls++ })).toBe('x');
    expect(calls).toBe(0);
  });

  it('is bounded, whatever its sections multiply', () => {
    const list = Array.from({ length: 100 }, () => 'x');
    const deep = (depth: number, inside: string) => `${'{{#list}}'.repeat(depth)}${inside}${'{{/list}}'.repeat(depth)}`;
    expect(fill(deep(10, 'text'), { list })).toBeUndefined();
    expect(fill(deep(10, ''), { list })).toBeUndefined();
    expect(fill('{{event}}'.repeat(1_000), { event: { text: 'y'.repeat(1_000) } })).toBeUndefined();
    expect(fill(deep(1, '{{.}}'), { list })).toBe('x'.repeat(100));
  });

  it('is refused when it is not valid', () => {
    expect(templateProblem('{{event.type}}')).toBeUndefined();
    expect(templateProblem('{{#open}}')).toContain('Unclosed section');
    expect(templateProblem('{{event')).toContain('Unclosed tag');
    expect(templateProblem(`${'{{#a}}'.repeat(21)}${'{{/a}}'.repeat(21)}`)).toContain('20 sections');
  });

  it('is written in steps', () => {
    const steps = filledIn('{{#list}}{{.}}{{/list}}', { list: Array.from({ length: 500 }, () => 'x') }, 10_000);
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThan(500);
  });
});

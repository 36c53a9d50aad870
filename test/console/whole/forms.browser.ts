import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestBrowser } from '../support/browser.ts';
import { type FilledDemo, params, startFilledDemo } from '../support/filled-demo.ts';

/** A place where something can be typed: its address and, if the address does not open it, what is pressed. */
interface Form {
  /** The files in `console/src` that have its fields. */
  readonly files: readonly string[];
  /** `{list/name}` is the id of the entry of this name in a list of the API. */
  readonly at: string;
  readonly press?: string;
  /** Where its fields are, if not in the panel or the dialog that is open. */
  readonly within?: string;
  /** A secret is typed into it, too. */
  readonly hasSecret?: boolean;
  /** A field of several lines that is a secret. */
  readonly secretText?: string;
}

const FLAG = `/projects/${params.projectId}/features/${params.featureId}`;

/** Every form of the console. A file with fields that is in none of them fails the test below. */
const FORMS: Readonly<Record<string, Form>> = {
  'new flag': { files: ['flags/CreateFlag.tsx'], at: '/features?panel=create' },
  'clone of a flag': { files: ['flags/CreateFlag.tsx'], at: `${FLAG}?panel=clone` },
  'settings of a flag': { files: ['screens/feature/FeatureSettings.tsx'], at: `${FLAG}/settings`, within: 'main' },
  'archiving a flag': { files: ['save/Reason.tsx'], at: `${FLAG}?panel=archive` },
  'copy to environments': {
    files: ['flags/CopyDialog.tsx'],
    at: '/projects/mobile/features/mobile.dark-mode?edit=development~copy',
  },
  'completing a flag': { files: ['screens/feature/use/Lifecycle.tsx'], at: `${FLAG}/metrics?ask=complete` },
  'a safeguard': {
    files: ['release-plans/SafeguardDialog.tsx'],
    at: '/projects/mobile/features/mobile.dark-mode?plan=development~flagguard~',
  },
  'a release template': {
    files: [
      'screens/release-templates/TemplatePage.tsx',
      'screens/release-templates/MilestoneEditor.tsx',
      'release-plans/IntervalField.tsx',
    ],
    at: '/release-templates/create-template',
    within: 'main',
  },
  'new project': {
    files: ['screens/projects/CreateProject.tsx', 'screens/projects/ModeChoice.tsx'],
    at: '/projects?panel=create',
  },
  'a project': { files: ['screens/projects/EditProject.tsx'], at: '/projects/shop/settings?panel=edit' },
  'access to a project': {
    files: ['screens/projects/AccessPanels.tsx', 'parts/Checks.tsx'],
    at: '/projects/shop/settings/access?panel=give',
  },
  'a default strategy': {
    files: ['strategies/StrategyFields.tsx', 'strategies/Parameters.tsx'],
    at: '/projects/shop/settings/default-strategy?environment=development',
  },
  'an action': {
    files: [
      ...['ActionSetPanels', 'SenderFields', 'StepFields'].map((name) => `screens/signals/actions/${name}.tsx`),
      'parts/FlagChoice.tsx',
    ],
    at: '/projects/shop/settings/actions?panel=create',
  },
  'new environment': { files: ['screens/environments/EnvironmentPanels.tsx'], at: '/environments?panel=create' },
  'new segment': {
    files: ['screens/segments/SegmentPanel.tsx', 'strategies/ConditionEditor.tsx', 'strategies/ValuesEditor.tsx'],
    at: '/segments/create',
  },
  'a segment': { files: ['screens/segments/SegmentPanel.tsx'], at: '/segments/edit/{segments/nordics}' },
  'new context field': {
    files: ['parts/fields.tsx', 'parts/ResourceScreen.tsx', 'screens/context/LegalValues.tsx'],
    at: '/context/create',
  },
  'a context field': { files: ['parts/fields.tsx', 'screens/context/LegalValues.tsx'], at: '/context/edit/country' },
  'new API token': { files: ['screens/tokens/CreateToken.tsx'], at: '/admin/api?panel=create' },
  'new user': {
    files: ['screens/users/UserPanels.tsx', 'people/RoleSelect.tsx'],
    at: '/admin/users?panel=create',
    press: 'You choose it',
    hasSecret: true,
  },
  'new group': { files: ['parts/fields.tsx', 'screens/groups/group-fields.tsx'], at: '/admin/groups?panel=create' },
  'a group': {
    files: ['screens/groups/group-fields.tsx', 'screens/groups/ProjectRoles.tsx'],
    at: '/admin/groups/{groups/Checkout team}',
  },
  'new role': {
    files: ['screens/roles/RolePanels.tsx', 'screens/roles/PermissionChoice.tsx'],
    at: '/admin/roles?panel=create',
  },
  'new service account': {
    files: ['people/RoleSelect.tsx'],
    at: '/admin/service-accounts?panel=create',
  },
  'a personal token': {
    files: ['people/TokenSection.tsx'],
    at: '/profile/tokens?create=token',
    within: 'main',
  },
  'OpenID Connect': {
    files: ['screens/sign-on-settings/ProviderPanel.tsx', 'screens/sign-on-settings/ProviderFields.tsx'],
    at: '/admin/auth/oidc?panel=edit',
    hasSecret: true,
  },
  'new sign-up link': { files: ['screens/signup-links/LinkPanels.tsx'], at: '/admin/invite-link?panel=create' },
  'new banner': { files: ['parts/fields.tsx'], at: '/admin/banners?panel=create' },
  origins: { files: ['screens/origins/OriginsPage.tsx'], at: '/admin/cors?panel=edit', press: 'These origins' },
  'new integration': {
    files: ['IntegrationPanels', 'IntegrationFields', 'ParameterField'].map(
      (name) => `screens/integrations/${name}.tsx`,
    ),
    at: '/integrations?panel=create&provider=datadog',
    hasSecret: true,
    secretText: 'Extra HTTP headers',
  },
  'new signal endpoint': { files: ['screens/signals/EndpointPanels.tsx'], at: '/signals?panel=create' },
  'a token of an endpoint': {
    files: ['screens/signals/SignalTokens.tsx'],
    at: '/signals/{signal-endpoints/alertmanager}?panel=token',
  },
  'new type of tags': { files: ['parts/fields.tsx'], at: '/tag-types?panel=create' },
  'a type of tags': {
    files: ['parts/fields.tsx', 'screens/tags/TagValues.tsx'],
    at: '/tag-types?panel=simple',
  },
  'a type of flags': { files: ['screens/flag-types/FlagTypesPage.tsx'], at: '/feature-toggle-type?panel=release' },
  'new strategy type': {
    files: ['parts/fields.tsx', 'screens/strategy-types/ParametersEditor.tsx'],
    at: '/strategies?panel=create',
  },
  'an application': { files: ['screens/applications/ApplicationPage.tsx'], at: '/applications/web-shop?panel=edit' },
  'a comment': {
    files: ['screens/change-requests/RequestPage.tsx'],
    at: '/projects/shop/change-requests/{search/change-requests/Round prices in Sweden}',
    within: 'main form',
  },
  'the title of a request': {
    files: ['screens/change-requests/RequestPage.tsx'],
    at: '/projects/shop/change-requests/{search/change-requests/Round prices in Sweden}?panel=rename',
  },
  'a decision': {
    files: ['screens/change-requests/RequestActions.tsx', 'parts/ConfirmDialog.tsx'],
    at: '/projects/shop/change-requests/{search/change-requests/Round prices in Sweden}?ask=reject',
  },
  'an import': {
    files: ['screens/transfer/SourceField.tsx', 'screens/transfer/ImportForm.tsx'],
    at: '/import-export',
    press: 'Paste',
    within: 'main',
  },
};

const FILTER = 'it filters what is shown; the address has it';
const SHOWS = 'it chooses what is shown';
const AT_ONCE = 'it saves at once, or opens a review';
const PART = 'a part of forms that are walked';
const OTHER: Readonly<Record<string, string>> = {
  'history/Undo.tsx': PART,
  'save/Review.tsx': PART,
  'save/ContextsChoice.tsx': PART,
  'save/PasteContexts.tsx': PART,
  'save/Later.tsx': AT_ONCE,
  'past/TimeMachine.tsx': SHOWS,
  'save/WhoChanges.tsx': SHOWS,
  'screens/signals/actions/ActionSets.tsx': AT_ONCE,
  'screens/applications/ApplicationsPage.tsx': FILTER,
  'screens/archive/ArchiveScreen.tsx': 'a name that confirms',
  'screens/audit/AuditPage.tsx': FILTER,
  'screens/change-requests/RequestsPage.tsx': FILTER,
  'screens/clean-up/Desk.tsx': FILTER,
  'screens/drift/DriftPage.tsx': FILTER,
  'screens/environments/EnvironmentsPage.tsx': AT_ONCE,
  'screens/feature/EnvironmentColumn.tsx': AT_ONCE,
  'screens/feature/StrategyEditor.tsx': 'its draft is tested below',
  'strategies/VariantsEditor.tsx': PART,
  'flags/BulkDialog.tsx': PART,
  'flags/FilterValues.tsx': FILTER,
  'flags/Filters.tsx': FILTER,
  'flags/columns.tsx': AT_ONCE,
  'screens/home/FirstRun.tsx': 'only in an empty store',
  'parts/DayInput.tsx': FILTER,
  'parts/DayRange.tsx': FILTER,
  'parts/FilterInput.tsx': FILTER,
  'parts/OncePanel.tsx': 'it shows a secret',
  'parts/ListScreen.tsx': AT_ONCE,
  'parts/PersonChoice.tsx': FILTER,
  'parts/HappenedFilters.tsx': FILTER,
  'parts/ProjectChoice.tsx': FILTER,
  'parts/TagChoice.tsx': PART,
  'screens/playground/Explain.tsx': SHOWS,
  'screens/playground/QuestionForm.tsx': 'the address has what is asked',
  'screens/playground/ResultTable.tsx': FILTER,
  'screens/profile/Account.tsx': 'passwords are never kept',
  'screens/profile/PageSettings.tsx': AT_ONCE,
  'screens/projects/ProjectEnvironments.tsx': AT_ONCE,
  'screens/projects/ProjectSettingsPage.tsx': SHOWS,
  'screens/projects/ProjectsPage.tsx': FILTER,
  'projects/Reviews.tsx': AT_ONCE,
  'release-plans/AddPlan.tsx': PART,
  'screens/release-templates/StrategyPanel.tsx': PART,
  'screens/release-templates/TemplatesPage.tsx': FILTER,
  'screens/sign-on-settings/Scim.tsx': PART,
  'screens/signals/MonitorSnippets.tsx': SHOWS,
  'parts/Snippets.tsx': SHOWS,
  'screens/transfer/ExportForm.tsx': 'the address has it',
  'screens/transfer/TargetFields.tsx': 'the address has it',
  'screens/feature/use/UseTab.tsx': FILTER,
  'screens/users/UsersPage.tsx': FILTER,
  'shell/KeysMap.tsx': AT_ONCE,
  'shell/palette/Palette.tsx': FILTER,
  'shell/sign-on/SignOnForm.tsx': 'passwords are never kept',
};

const SOURCES = fileURLToPath(new URL('../../../console/src/', import.meta.url));
const HAS_FIELDS =
  /<(TextInput|TextArea|Checkbox|Switch|Segmented|Select|Combobox|MultiSelect|ValuesEditor|DayInput|FlagChoice|PersonChoice|RoleSelect|ModeChoice|FieldList|StrategyForm|Checks)\b/;

describe('the list of forms', () => {
  it('has every file with fields', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx') && !/^(kit|screens\/kit)\//.test(name))
      .filter((name) => HAS_FIELDS.test(readFileSync(SOURCES + name, 'utf8')));
    const walked = new Set(Object.values(FORMS).flatMap((form) => form.files));
    const known = new Set([...walked, ...Object.keys(OTHER)]);
    expect(files.filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !files.includes(name))).toEqual([]);
  });
});

let demo: FilledDemo;
let browser: TestBrowser;

beforeAll(async () => {
  demo = await startFilledDemo();
  browser = await TestBrowser.start();
});
afterEach(() => browser?.closePages());
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

async function addressOf(form: Form): Promise<string> {
  const [whole, list = '', name = ''] = /\{(.+)\/([^/]+)\}/.exec(form.at) ?? [];
  return whole === undefined ? form.at : form.at.replace(whole, await demo.idOf(list, name));
}

/** The part of the page with the fields, once they are there. */
async function fieldsOf(page: Page, { within, press }: Form): Promise<Locator> {
  const part =
    within === undefined ? page.locator('[data-inspector], [role=dialog]').last() : page.locator(within).first();
  if (press !== undefined) await page.getByText(press, { exact: true }).click();
  await part.locator('input:visible, textarea:visible').first().waitFor();
  return part;
}

const SECRET = 'hidden-from-storage';
const FIELD = [
  ':is(input:not([type]), input[type=text], input[type=url], input[type=email], textarea):not([role=combobox], [aria-hidden=true])',
  'input[type=password], input[type^=date], input[type=checkbox]:not([role=switch])',
].join();

interface FieldElement {
  readonly type: string;
  readonly inputMode: string;
  readonly readOnly: boolean;
  readonly ariaDisabled: string | null;
  readonly checked: boolean;
  readonly value: string;
  readonly textContent: string;
}

/** Types into all fields, also into those that appear meanwhile, and presses each check box once. */
async function typeAll(part: Locator): Promise<void> {
  for (let count = 0; count < 60; count++) {
    // The element, because what the locator finds changes.
    const found = part.locator(`:is(${FIELD}):not([data-typed]):visible`).first();
    const field = (await found.count()) === 0 ? null : await found.elementHandle();
    if (field === null) return;
    const { type, inputMode, isFixed } = await field.evaluate((element) => {
      element.setAttribute('data-typed', '');
      const { type, inputMode, readOnly, ariaDisabled } = element as unknown as FieldElement;
      return { type, inputMode, isFixed: readOnly || ariaDisabled === 'true' };
    });
    if (isFixed) continue;
    if (type === 'checkbox') await field.click();
    else if (type === 'password') await field.fill(SECRET);
    else if (type === 'date') await field.fill('2031-05-06');
    else if (type === 'datetime-local') await field.fill('2031-05-06T07:08');
    else await field.fill(inputMode === 'numeric' || inputMode === 'decimal' ? '7' : `typed${count}`);
  }
}

/** What the fields hold. Secrets are left out. */
const held = (part: Locator) =>
  part
    .locator(
      ':is(input:not([type=password], [type=file], [aria-hidden=true]), textarea, button[role=combobox]):visible',
    )
    .evaluateAll((fields) =>
      (fields as unknown as FieldElement[]).map((one) =>
        one.type === 'checkbox' || one.type === 'radio' ? String(one.checked) : one.value || one.textContent,
      ),
    );

const stored = (page: Page) => page.evaluate<Record<string, string>>('({ ...localStorage })');
const typedIn = async (page: Page) =>
  Object.entries(await stored(page)).filter(([key]) => key.startsWith('burgee.typed:'));

describe('what is typed', () => {
  it.each(Object.entries(FORMS))(
    '%s: stays after a reload and after Back, and ends with Cancel',
    async (_name, form) => {
      const { page } = await browser.open(demo.url, await addressOf(form), { signedOn: demo.signedOn, width: 1440 });
      const before = await held(await fieldsOf(page, form));
      await typeAll(await fieldsOf(page, form));
      const secretText = form.secretText === undefined ? undefined : page.getByLabel(form.secretText);
      await secretText?.fill(SECRET);
      // An editor of values takes what is typed when it loses the focus.
      await page.evaluate('document.activeElement.blur()');
      await expect.poll(async () => (await typedIn(page)).length).toBeGreaterThan(0);
      expect(JSON.stringify(await stored(page))).not.toContain(SECRET);
      if (form.hasSecret)
        expect(await page.locator('[data-inspector] input[type=password]').count()).toBeGreaterThan(0);

      await secretText?.fill('');
      const typed = await held(await fieldsOf(page, form));
      expect(typed).not.toEqual(before);
      const { press: _, ...again } = form;
      await page.reload();
      await expect.poll(async () => held(await fieldsOf(page, again))).toEqual(typed);

      await page.evaluate(`history.pushState(null, '', '/feature-toggle-type')`);
      await page.getByText('40 days').first().waitFor();
      await page.goBack();
      await expect.poll(async () => held(await fieldsOf(page, again))).toEqual(typed);
      if (form.within !== undefined) return;

      await page.getByText('Not saved yet, typed').first().waitFor();
      const part = await fieldsOf(page, again);
      await part.getByRole('button', { name: 'Cancel', exact: true }).click();
      await part.waitFor({ state: 'detached' });
      await expect.poll(() => typedIn(page)).toEqual([]);
    },
  );
});

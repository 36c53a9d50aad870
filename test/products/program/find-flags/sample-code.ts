/** A file of code, and the names of flags that it uses in calls, each with its line. */
export interface SampleFile {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, line: number])[];
}

const sample = (lines: readonly string[], calls: SampleFile['calls']): SampleFile => ({
  text: `${lines.join('\n')}\n`,
  calls,
});

/** Calls as the documentation of each SDK shows them, and texts that are no names of flags. */
export const SAMPLE_FILES: Readonly<Record<string, SampleFile>> = {
  'node/server.js': sample(
    [
      "const unleash = require('unleash-client').initialize({ appName: 'shop' });",
      "if (unleash.isEnabled('node.enabled', context)) pay();",
      'const variant = unleash.getVariant(',
      "  'node.variant',",
      ');',
      "if (unleash.isEnabled('part-' + name)) pay();",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is code with a template
      'if (unleash.isEnabled(`part-${name}`)) pay();',
      "if (isEnabledFor('no-flag')) pay();",
    ],
    [
      ['node.enabled', 2],
      ['node.variant', 4],
    ],
  ),
  'web/cart.ts': sample(
    ['const on = client.getBooleanValue("ts.boolean", false);', 'client.getStringDetails<Theme>(`ts.details`, "x");'],
    [
      ['ts.boolean', 1],
      ['ts.details', 2],
    ],
  ),
  'web/Cart.tsx': sample(
    [
      "const on = useFlag('react.flag');",
      'const v = useVariant("react.variant");',
      "useBooleanFlagValue('react.of', false);",
    ],
    [
      ['react.flag', 1],
      ['react.variant', 2],
      ['react.of', 3],
    ],
  ),
  'web/Cart.vue': sample(
    [
      '<script setup>',
      "const on = useFlag('vue.flag')",
      '</script>',
      '<p v-if="unleash.isEnabled(\'vue.template\')" />',
    ],
    [
      ['vue.flag', 2],
      ['vue.template', 4],
    ],
  ),
  'web/Cart.svelte': sample(['<script>', '  const on = useFlag("svelte.flag");', '</script>'], [['svelte.flag', 2]]),
  'java/Shop.java': sample(
    [
      'class Shop {',
      '  @Toggle(name = "java.annotation", alterBean = "other")',
      '  void pay() { if (unleash.isEnabled("java.enabled", context, false)) client.getIntegerValue("java.of", 1); }',
      '}',
    ],
    [
      ['java.annotation', 2],
      ['java.enabled', 3],
      ['java.of', 3],
    ],
  ),
  'kotlin/Shop.kt': sample(
    ['fun pay() = unleash.isEnabled(toggleName = "kotlin.enabled") || unleash.getVariant("kotlin.variant").isEnabled'],
    [
      ['kotlin.enabled', 1],
      ['kotlin.variant', 1],
    ],
  ),
  'go/shop.go': sample(
    [
      'package shop',
      'func pay(ctx context.Context) {',
      '\tif unleash.IsEnabled("go.enabled", unleash.WithContext(c)) {',
      '\t\tclient.BooleanValue(context.Background(), "go.of", false, evaluation)',
      '\t\tlogger.Info("x", zap.String("no-flag", value))',
      '\t}',
      '}',
    ],
    [
      ['go.enabled', 3],
      ['go.of', 4],
    ],
  ),
  'python/shop.py': sample(
    [
      'if client.is_enabled("python.enabled", context):',
      "    client.get_variant(r'python.variant')",
      '    of.get_boolean_value(flag_key="python.of", default_value=False)',
    ],
    [
      ['python.enabled', 1],
      ['python.variant', 2],
      ['python.of', 3],
    ],
  ),
  'ruby/shop.rb': sample(
    [
      'if @unleash.is_enabled? "ruby.enabled", @context',
      'UNLEASH.if_enabled :ruby_block do',
      'end',
      "@unleash.get_variant('ruby.variant')",
    ],
    [
      ['ruby.enabled', 1],
      ['ruby_block', 2],
      ['ruby.variant', 4],
    ],
  ),
  'php/shop.php': sample(
    ['<?php', "if ($unleash->isEnabled('php.enabled')) {", "  $unleash->getVariant('part.' . $name);", '}'],
    [['php.enabled', 2]],
  ),
  'dotnet/Shop.cs': sample(
    ['if (unleash.IsEnabled("dotnet.enabled")) {', '  await client.GetBooleanValueAsync(@"dotnet.of", false);', '}'],
    [
      ['dotnet.enabled', 1],
      ['dotnet.of', 2],
    ],
  ),
  'rust/main.rs': sample(
    [
      'if client.is_enabled(Features::rust_enum, None, false) {',
      '  client.get_variant_str("rust.variant", &context);',
      '}',
    ],
    [
      ['rust_enum', 1],
      ['rust.variant', 2],
    ],
  ),
  'ios/Shop.swift': sample(
    ['if unleash.isEnabled(name: "swift.enabled") {', '  unleash.getVariant(name: "swift.variant")', '}'],
    [
      ['swift.enabled', 1],
      ['swift.variant', 2],
    ],
  ),
  'flutter/shop.dart': sample(
    ["if (unleash.isEnabled('dart.enabled')) {", "  final v = unleash.getVariant('dart.variant');", '}'],
    [
      ['dart.enabled', 1],
      ['dart.variant', 2],
    ],
  ),
};

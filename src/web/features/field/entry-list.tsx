import { Plus, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { Field } from "../../ui/form/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

/** Common fields of entries that are edited as rows. */
export interface Entry {
  readonly key: string;
  readonly address: string;
  readonly writable?: boolean | undefined;
}

/** Field of an entry. Its control is text, even for numbers, because they may be empty. */
export interface EntryField {
  readonly name: "key" | "address" | "scale" | "offset" | "priority" | "length" | "deadband";
  /** Attributes of an input for a number. */
  readonly number?: { readonly pattern: string };
  readonly charactersMax: number;
  /** Returns a problem of the text for the browser, which shows it on submit; an empty text without one. */
  readonly problemOf?: (text: string) => string;
}

/** Entry as edited in the form. */
export interface EntryDraft {
  /** Number of the row, which stays in place while its key is typed. */
  readonly id: number;
  readonly texts: Readonly<Record<string, string>>;
  /** Fields that the form does not show. */
  readonly others: object;
  readonly writable: boolean;
}

let newestId = 0;

function draftOf(fields: readonly EntryField[], entry: Partial<Entry> = {}): EntryDraft {
  const { writable = false, ...values }: Partial<Entry> & Record<string, unknown> = entry;
  const texts = fields.map(({ name }) => [name, String(values[name] ?? "")] as const);
  const others = Object.entries(values).filter(([name]) => !fields.some((field) => field.name === name));
  return {
    id: ++newestId,
    texts: Object.fromEntries(texts),
    others: Object.fromEntries(others),
    writable,
  };
}

/** Returns the entry for the API, which checks it. */
function entryOf(fields: readonly EntryField[], { texts, others, writable }: EntryDraft): object {
  const values = fields.flatMap(({ name, number }): [string, string | number][] => {
    const text = (texts[name] ?? "").trim();
    if (number === undefined) return [[name, text]];
    return text === "" ? [] : [[name, Number(text.replace(",", "."))]];
  });
  return {
    ...others,
    ...Object.fromEntries(values),
    ...(writable && { writable }),
  };
}

/** Props of the list of entries of a unit. */
export interface EntryListProps<Draft> {
  readonly entries: readonly Draft[];
  readonly onChange: (entries: readonly Draft[]) => void;
  /** Number of submits of the form. */
  readonly attempts: number;
}

/** Editor of the entries of a protocol. */
export interface EntryEditor<Of, Draft> {
  readonly title: string;
  readonly hint: string;
  readonly draftOf: (entry: Partial<Of>) => Draft;
  readonly entryOf: (draft: Draft) => object;
  readonly list: (props: EntryListProps<Draft>) => ComponentChildren;
  /** Returns a problem that prevents a submit; an empty text without one. */
  readonly problemOf?: (entries: readonly Draft[]) => string;
}

interface EntryTexts {
  readonly title: string;
  readonly hint: string;
  /** Text for an empty list. */
  readonly none: string;
  readonly add: string;
  /** Name of an entry without a key. */
  readonly unnamed: string;
}

/** Edits entries that are rows of fields. */
export const rowEditor = <Of extends Entry>(
  fields: readonly EntryField[],
  texts: EntryTexts,
): EntryEditor<Of, EntryDraft> => ({
  ...texts,
  draftOf: (entry) => draftOf(fields, entry),
  entryOf: (draft) => entryOf(fields, draft),
  list: (props) => <EntryList {...props} fields={fields} texts={texts} />,
});

function EntryList(props: EntryListProps<EntryDraft> & { fields: readonly EntryField[]; texts: EntryTexts }) {
  const { fields, texts, entries, onChange } = props;
  const change = (id: number, changes: Partial<EntryDraft>) =>
    onChange(entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));
  return (
    <>
      {entries.length === 0 && <p class="text-soft">{texts.none}</p>}
      <ul class="flex flex-col gap-4" aria-label={texts.title}>
        {entries.map((entry) => (
          <li key={entry.id} class="flex flex-col gap-2 border-b border-base-300 pb-4" data-testid="entry">
            <div class="grid grid-cols-2 gap-3 md:grid-cols-4">
              {fields.map(({ name, number, charactersMax, problemOf }) => (
                <Field key={name} label={t(`entryField.${name}`)}>
                  <input
                    ref={(input) => input?.setCustomValidity(problemOf?.(entry.texts[name] ?? "") ?? "")}
                    required={number === undefined}
                    pattern={number?.pattern}
                    autocomplete="off"
                    autocapitalize="off"
                    maxLength={charactersMax}
                    class="input reading w-full"
                    value={entry.texts[name]}
                    onInput={(e) =>
                      change(entry.id, { texts: { ...entry.texts, [name]: e.currentTarget.value } })
                    }
                  />
                </Field>
              ))}
            </div>
            <div class="flex items-center justify-between gap-3">
              <Checkbox checked={entry.writable} onCheck={(writable) => change(entry.id, { writable })}>
                {t("fieldConnection.writable")}
              </Checkbox>
              <IconButton
                icon={X}
                label={t("common.removeKey", { key: entry.texts.key || texts.unnamed })}
                class="btn btn-ghost btn-sm btn-square"
                onClick={() => onChange(entries.filter(({ id }) => id !== entry.id))}
              />
            </div>
          </li>
        ))}
      </ul>
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        onClick={() => onChange([...entries, draftOf(fields)])}
      >
        {texts.add}
      </Button>
    </>
  );
}

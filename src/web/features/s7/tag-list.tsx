import { Plus, X } from "lucide-preact";
import { parseS7Address } from "../../../lib/s7/s7-address.ts";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import type { S7Tag } from "./s7-api.ts";

/** A tag as the form edits it: numbers are texts, because they may be empty. */
export interface TagDraft extends Readonly<Record<"key" | "address" | "scale" | "offset", string>> {
  /** Number of the row, which keeps its place while its key is typed. */
  readonly id: number;
  readonly intervalMs: number | undefined;
  readonly writable: boolean;
}

let newestId = 0;

export function draftOf(tag: Partial<S7Tag> = {}): TagDraft {
  const { key = "", address = "", scale, offset, intervalMs, writable = false } = tag;
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  return { id: ++newestId, key, address, scale: text(scale), offset: text(offset), intervalMs, writable };
}

const number = (text: string) => Number(text.trim().replace(",", "."));

export function tagOf({ key, address, scale, offset, intervalMs, writable }: TagDraft): S7Tag {
  return {
    key: key.trim(),
    address: address.trim(),
    ...(scale.trim() !== "" && { scale: number(scale) }),
    ...(offset.trim() !== "" && { offset: number(offset) }),
    ...(intervalMs !== undefined && { intervalMs }),
    ...(writable && { writable }),
  };
}

interface Props {
  readonly tags: readonly TagDraft[];
  readonly onChange: (tags: readonly TagDraft[]) => void;
}

const FIELDS = ["key", "address", "scale", "offset"] as const;

/** Problem of an address for the browser, which shows it when the form is sent; an empty text without one. */
const addressProblem = (address: string): string =>
  parseS7Address(address.trim()) === undefined ? codeText("s7_rule.address") : "";

const NUMBER = String.raw`\s*-?[0-9]*[.,]?[0-9]+([eE][+\-]?[0-9]+)?\s*`;

/** The tags of a unit, each a row of fields. */
export function TagList({ tags, onChange }: Props) {
  const change = (id: number, changes: Partial<TagDraft>) =>
    onChange(tags.map((tag) => (tag.id === id ? { ...tag, ...changes } : tag)));
  return (
    <>
      {tags.length === 0 && <p class="text-soft">{t("s7.noTagsYet")}</p>}
      <ul class="flex flex-col gap-4" aria-label={t("s7.tagsTitle")}>
        {tags.map((tag) => (
          <li key={tag.id} class="flex flex-col gap-2 border-b border-base-300 pb-4" data-testid="tag">
            <div class="grid grid-cols-2 gap-3 md:grid-cols-4">
              {FIELDS.map((name) => (
                <Field key={name} label={t(`s7Field.${name}`)}>
                  <input
                    ref={(input) =>
                      input?.setCustomValidity(name === "address" ? addressProblem(tag.address) : "")
                    }
                    required={name === "key" || name === "address"}
                    pattern={name === "scale" || name === "offset" ? NUMBER : undefined}
                    autocomplete="off"
                    autocapitalize="off"
                    maxLength={name === "key" ? 256 : 64}
                    class="input reading w-full"
                    value={tag[name]}
                    onInput={(e) => change(tag.id, { [name]: e.currentTarget.value })}
                  />
                </Field>
              ))}
            </div>
            <div class="flex items-center justify-between gap-3">
              <Checkbox checked={tag.writable} onCheck={(writable) => change(tag.id, { writable })}>
                {t("modbus.writable")}
              </Checkbox>
              <IconButton
                icon={X}
                label={t("common.removeKey", { key: tag.key || t("s7.newTag") })}
                class="btn btn-ghost btn-sm btn-square"
                onClick={() => onChange(tags.filter(({ id }) => id !== tag.id))}
              />
            </div>
          </li>
        ))}
      </ul>
      <Button icon={Plus} class="btn btn-sm self-start" onClick={() => onChange([...tags, draftOf()])}>
        {t("s7.addTag")}
      </Button>
    </>
  );
}

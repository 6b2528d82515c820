import { Upload } from "lucide-preact";
import { useState } from "preact/hooks";
import { BRANDING_NAME_CHARACTERS_MAX } from "../../../lib/console/form-limits.ts";
import { readDataUrl } from "../../lib/data-url.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/form/field.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";

const LOGO_BYTES_MAX = 100 * 1024;
const LOGO_TYPES = "image/png,image/jpeg,image/webp,image/svg+xml";
const PRODUCT_COLOR = "#0e5a6b";

const ColorControl = ({ label, hint, value, onChange }: ControlProps) => (
  <Field label={label} hint={hint}>
    <span class="flex gap-2">
      <input
        type="color"
        class="h-10 w-14 flex-none cursor-pointer rounded-field border border-base-300 bg-base-100 p-1"
        aria-label={label}
        value={String(value || PRODUCT_COLOR)}
        onInput={(e) => onChange(e.currentTarget.value)}
      />
      <button type="button" class="btn btn-ghost" disabled={!value} onClick={() => onChange(undefined)}>
        {t("branding.noColor")}
      </button>
    </span>
  </Field>
);

function LogoControl({ label, hint, error, value, isDisabled, onChange }: ControlProps) {
  const [tooLarge, setTooLarge] = useState(false);
  const select = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = ""; // so that the same file can be selected again
    if (!file) return;
    setTooLarge(file.size > LOGO_BYTES_MAX);
    if (file.size <= LOGO_BYTES_MAX) onChange(await readDataUrl(file));
  };
  const problem = tooLarge ? t("branding.logoTooLarge") : error;
  return (
    <div class="flex flex-col gap-1.5">
      <span class="text-sm font-medium">{label}</span>
      <span class="flex flex-wrap items-center gap-2">
        <label
          class={`btn ${isDisabled ? "btn-disabled" : ""} focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-primary`}
        >
          <Upload size={16} aria-hidden="true" />
          {t(value ? "branding.otherLogo" : "branding.selectLogo")}
          <input type="file" class="sr-only" accept={LOGO_TYPES} onChange={(e) => select(e.currentTarget)} />
        </label>
        {!!value && (
          <button type="button" class="btn btn-ghost" onClick={() => onChange(undefined)}>
            {t("branding.noLogo")}
          </button>
        )}
      </span>
      {problem !== undefined && (
        <span role="alert" class="text-sm text-error">
          {problem}
        </span>
      )}
      <span class="text-sm text-soft">{hint}</span>
    </div>
  );
}

/** The site's own name, color and logo; an empty field selects the product's. */
export const brandingForm: FormDefinition = {
  schema: formSchema("tenants/tenants.schemas.ts", "brandingBody"),
  texts: ["branding"],
  isSparse: true,
  fields: [
    [
      { path: "name", input: { maxLength: BRANDING_NAME_CHARACTERS_MAX, placeholder: "Lineside" } },
      { path: "primaryColor", text: "color", control: ColorControl },
    ],
    { path: "logo", control: LogoControl },
  ],
};

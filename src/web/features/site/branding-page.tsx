import { Upload } from "lucide-preact";
import { useState } from "preact/hooks";
import { showAppearance } from "../../platform/appearance.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import type { Branding, TenantBranding } from "./site-api.ts";
import { siteApi } from "./site-api.ts";

const LOGO_BYTES_MAX = 100 * 1024;
const LOGO_TYPES = "image/png,image/jpeg,image/webp,image/svg+xml";
const PRODUCT_COLOR = "#0e5a6b";

/** The site's own name, logo and colour in place of the product's. */
export function BrandingPage() {
  const resource = useResource(siteApi.branding, []);
  return (
    <Loaded of={resource}>{(branding) => <BrandingForm given={branding} onSaved={resource.set} />}</Loaded>
  );
}

const readFile = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

const givenOf = (branding: Record<keyof Branding, string>): Branding =>
  Object.fromEntries(Object.entries(branding).filter(([, text]) => text !== ""));

function BrandingForm({
  given,
  onSaved,
}: {
  given: TenantBranding;
  onSaved: (saved: TenantBranding) => void;
}) {
  const { whitelabelEnabled, branding } = given;
  const [name, setName] = useState(branding.name ?? "");
  const [logo, setLogo] = useState(branding.logo ?? "");
  const [color, setColor] = useState(branding.primaryColor ?? "");
  const [tooLarge, setTooLarge] = useState(false);
  const action = useAction(["name", "logo"]);

  const save = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const saved = await siteApi.setBranding(givenOf({ name: name.trim(), logo, primaryColor: color }));
      showAppearance(saved.appearance);
      onSaved(saved);
      toast("success", t("settings.saved"));
    });
  };
  const reset = () =>
    action.run(async () => {
      await siteApi.clearBranding();
      const left = await siteApi.branding();
      showAppearance(left.appearance);
      for (const clear of [setName, setLogo, setColor]) clear("");
      onSaved(left);
      toast("success", t("branding.cleared"));
    });
  const select = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = ""; // so that the same file can be selected again
    if (!file) return;
    setTooLarge(file.size > LOGO_BYTES_MAX);
    if (file.size <= LOGO_BYTES_MAX) setLogo(await readFile(file));
  };
  return (
    <form class="flex max-w-3xl flex-col gap-5" onSubmit={save}>
      <p class="max-w-2xl text-soft">{t("branding.intro")}</p>
      {!whitelabelEnabled && (
        <p class="panel border-l-4 border-l-warning p-4" role="status">
          {t("branding.notInPlan")}
        </p>
      )}
      <fieldset
        class="panel grid min-w-0 gap-5 p-4 sm:grid-cols-2 sm:p-5"
        disabled={!whitelabelEnabled || action.busy}
        aria-label={t("page.branding")}
      >
        <TextField
          label={t("common.name")}
          hint={t("branding.nameHint")}
          error={action.errorOf("name")}
          maxLength={40}
          placeholder="Lineside"
          value={name}
          onText={setName}
        />
        <Field label={t("common.colour")} hint={t("branding.colorHint")}>
          <span class="flex gap-2">
            <input
              type="color"
              class="h-10 w-14 flex-none cursor-pointer rounded-field border border-base-300 bg-base-100 p-1"
              aria-label={t("common.colour")}
              value={color || PRODUCT_COLOR}
              onInput={(e) => setColor(e.currentTarget.value)}
            />
            <button type="button" class="btn btn-ghost" disabled={color === ""} onClick={() => setColor("")}>
              {t("branding.noColor")}
            </button>
          </span>
        </Field>
        <div class="flex flex-col gap-1.5 sm:col-span-2">
          <span class="text-sm font-medium">{t("branding.logo")}</span>
          <span class="flex flex-wrap items-center gap-2">
            <label
              class={`btn ${whitelabelEnabled ? "" : "btn-disabled"} focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-primary`}
            >
              <Upload size={16} aria-hidden="true" />
              {t(logo ? "branding.otherLogo" : "branding.selectLogo")}
              <input
                type="file"
                class="sr-only"
                accept={LOGO_TYPES}
                onChange={(e) => select(e.currentTarget)}
              />
            </label>
            {logo && (
              <button type="button" class="btn btn-ghost" onClick={() => setLogo("")}>
                {t("branding.noLogo")}
              </button>
            )}
          </span>
          {(tooLarge || action.errorOf("logo")) && (
            <span role="alert" class="text-sm text-error">
              {tooLarge ? t("branding.logoTooLarge") : action.errorOf("logo")}
            </span>
          )}
          <span class="text-sm text-soft">{t("branding.logoHint")}</span>
        </div>
        <Preview name={name.trim()} logo={logo} color={color} saved={given} />
      </fieldset>
      <ErrorNote error={action.error} />
      <div class="flex flex-wrap justify-end gap-2">
        {Object.keys(branding).length > 0 && (
          <button type="button" class="btn btn-ghost" disabled={action.busy} onClick={reset}>
            {t("branding.reset")}
          </button>
        )}
        {whitelabelEnabled && <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>}
      </div>
    </form>
  );
}

interface PreviewProps {
  readonly name: string;
  readonly logo: string;
  readonly color: string;
  readonly saved: TenantBranding;
}

/** Both themes side by side; the shades that can be read are known once the colour is saved. */
function Preview({ name, logo, color, saved }: PreviewProps) {
  const colors = color !== "" && color === saved.branding.primaryColor ? saved.appearance.colors : null;
  return (
    <div class="flex flex-col gap-1.5 sm:col-span-2">
      <span class="text-sm font-medium">{t("branding.preview")}</span>
      <div class="grid gap-3 sm:grid-cols-2">
        {(["light", "dark"] as const).map((theme) => (
          <div
            key={theme}
            data-theme={`lineside-${theme}`}
            class="flex min-w-0 items-center justify-between gap-3 rounded-box border border-base-300 bg-base-100 p-4 text-base-content"
          >
            <span class="flex min-w-0 items-center gap-2.5">
              {logo ? (
                <img src={logo} alt="" class="h-7 max-w-24 object-contain" />
              ) : (
                <img src="/favicon.svg" alt="" class="h-7" />
              )}
              <span class="truncate font-semibold">{name || "Lineside"}</span>
            </span>
            <span
              class="flex-none rounded-field bg-primary px-3 py-1.5 text-sm font-medium text-primary-content"
              style={
                color
                  ? {
                      backgroundColor: colors?.[theme].primary ?? color,
                      color: colors?.[theme].onPrimary ?? "",
                    }
                  : {}
              }
            >
              {t(`theme.${theme}`)}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

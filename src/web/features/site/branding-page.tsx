import { showAppearance } from "../../platform/appearance.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useSchemaForm } from "../../ui/use-schema-form.ts";
import { brandingForm } from "./branding-form.tsx";
import type { Branding, TenantBranding } from "./site-api.ts";
import { siteApi } from "./site-api.ts";

/** The site's own name, logo and colour in place of the product's. */
export function BrandingPage() {
  const resource = useResource(siteApi.branding, []);
  return (
    <Loaded of={resource}>{(branding) => <BrandingForm given={branding} onSaved={resource.set} />}</Loaded>
  );
}

interface FormProps {
  readonly given: TenantBranding;
  readonly onSaved: (saved: TenantBranding) => void;
}

function BrandingForm({ given, onSaved }: FormProps) {
  const { whitelabelEnabled, branding } = given;
  const form = useSchemaForm(brandingForm, { ...branding });
  const show = (saved: TenantBranding) => {
    showAppearance(saved.appearance);
    onSaved(saved);
  };
  const save = (e: Event) => {
    e.preventDefault();
    form.send(async (body) => {
      show(await siteApi.setBranding(body));
      toast("success", t("settings.saved"));
    });
  };
  const reset = () =>
    form.send(async () => {
      await siteApi.clearBranding();
      show(await siteApi.branding());
      form.state.onChange({});
      toast("success", t("branding.cleared"));
    });
  return (
    <form class="flex max-w-3xl flex-col gap-5" onSubmit={save}>
      <p class="max-w-2xl text-soft">{t("branding.intro")}</p>
      {!whitelabelEnabled && (
        <p class="panel border-l-4 border-l-warning p-4" role="status">
          {t("branding.notInPlan")}
        </p>
      )}
      <fieldset
        class="panel flex min-w-0 flex-col gap-5 p-4 sm:p-5"
        disabled={!whitelabelEnabled || form.busy}
        aria-label={t("page.branding")}
      >
        <SchemaFields form={brandingForm} {...form.state} isDisabled={!whitelabelEnabled} />
        <Preview branding={form.body()} saved={given} />
      </fieldset>
      <ErrorNote error={form.error} />
      <div class="flex flex-wrap justify-end gap-2">
        {Object.keys(branding).length > 0 && (
          <button type="button" class="btn btn-ghost" disabled={form.busy} onClick={reset}>
            {t("branding.reset")}
          </button>
        )}
        {whitelabelEnabled && <SubmitButton busy={form.busy}>{t("common.save")}</SubmitButton>}
      </div>
    </form>
  );
}

/** Both themes side by side; the shades that can be read are known once the colour is saved. */
function Preview({ branding, saved }: { branding: Branding; saved: TenantBranding }) {
  const { name, logo, primaryColor: color } = branding;
  const colors =
    color !== undefined && color === saved.branding.primaryColor ? saved.appearance.colors : null;
  return (
    <div class="flex flex-col gap-1.5">
      <span class="text-sm font-medium">{t("widget.preview")}</span>
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

import { showAppearance } from "../../platform/appearance.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { brandingForm } from "./branding-form.tsx";
import type { Branding, TenantBranding } from "./site-api.ts";
import { siteApi } from "./site-api.ts";

/** The site's own name, logo and color in place of the product's. */
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
  const save = () =>
    form.send(async (body) => {
      show(await siteApi.setBranding(body));
      toast("success", t("settings.saved"));
    });
  const reset = () =>
    form.send(async () => {
      await siteApi.clearBranding();
      show(await siteApi.branding());
      form.state.onChange({});
      toast("success", t("branding.cleared"));
    });
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      {!whitelabelEnabled && (
        <p class="panel border-l-4 border-l-warning p-4" role="status">
          {t("branding.notInPlan")}
        </p>
      )}
      <Section id="branding" title={t("page.branding")} hint={t("branding.intro")}>
        <SectionForm
          {...form.dialog}
          onSubmit={save}
          isFixed={!whitelabelEnabled}
          buttons={
            Object.keys(branding).length > 0 && (
              <button type="button" class="btn btn-ghost" disabled={form.busy} onClick={reset}>
                {t("branding.reset")}
              </button>
            )
          }
        >
          <SchemaFields form={brandingForm} {...form.state} isDisabled={!whitelabelEnabled || form.busy} />
          <Preview branding={form.body()} saved={given} />
        </SectionForm>
      </Section>
    </div>
  );
}

/** Previews both themes side by side; the readable shades are known once the color is saved. */
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

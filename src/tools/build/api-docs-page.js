// Starts the page of the API documentation. What is tried out there goes in the console's own session, unless another credential was
// given with "Authorize".
/* global SwaggerUIBundle */
(() => {
  /** The gateway's address: this script is in its `docs` folder, and a proxy may have put that below another path. */
  const root = new URL("..", document.currentScript.src);
  const stored = (store, key) => {
    try {
      return store.getItem(key + root.pathname.replace(/\/$/, "")) ?? undefined;
    } catch {
      return undefined; // the browser keeps nothing for this page
    }
  };
  // Where the console keeps it: of somebody acting as another user, of this browser, of this tab. Renewed while the page is open.
  const token = () =>
    stored(sessionStorage, "lineside.acting") ??
    stored(localStorage, "lineside.token") ??
    stored(sessionStorage, "lineside.token");

  async function describeSession() {
    const line = document.getElementById("session");
    const answer =
      token() &&
      (await fetch(new URL("api/auth/me", root), { headers: { authorization: `Bearer ${token()}` } }));
    if (answer?.ok) {
      const { email, role } = await answer.json();
      const back = Object.assign(document.createElement("a"), { href: root, textContent: "Console" });
      line.replaceChildren(
        back,
        ` · Try it out: requests go out as ${email} (${role}), on this gateway's real data. The curl commands below hold your session's token: keep it to yourself.`,
      );
      return;
    }
    const link = Object.assign(document.createElement("a"), { href: root, textContent: "Sign in" });
    line.replaceChildren(link, " to try requests out here, or give a credential with Authorize.");
  }

  SwaggerUIBundle({
    url: new URL("docs/json", root).href,
    dom_id: "#api",
    deepLinking: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    requestInterceptor(request) {
      const isOwn = new URL(request.url, location.href).origin === location.origin;
      const hasOther = Object.keys(request.headers).some((name) => name.toLowerCase() === "authorization");
      if (isOwn && !hasOther && token() !== undefined) request.headers.authorization = `Bearer ${token()}`;
      return request;
    },
  });
  describeSession();
})();

/**
 * Shapes by which a credential is known wherever it stands, as text so that nothing is compiled
 * before it is needed.
 *
 * Each pattern either starts with a literal and has no condition behind an open quantifier, or can
 * start only once per run of its own characters, so that a scan is linear in the text.
 *
 * @module
 */

/** Label and pattern; a label with `?` asks the value to look random as well. */
export const SECRET_SHAPES: readonly (readonly [label: string, pattern: string])[] = [
  ["github-token", "gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\\w{22,}"],
  ["gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\\w-]{20,}"],
  ["aws-key-id", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"],
  ["google-key", "AIza[\\w-]{30,}|GOCSPX-[\\w-]{20,}"],
  ["google-token", "ya29\\.[\\w-]{20,}|1//0[\\w-]{30,}"],
  ["slack-token", "xox[a-z]-[\\w-]{10,}|xoxe\\.xox[bp]-[\\w-]{10,}|xapp-[\\w-]{20,}"],
  ["slack-webhook", "hooks\\.slack\\.com/(?:services|workflows)/[\\w/]{20,}"],
  ["discord-webhook", "discord(?:app)?\\.com/api/webhooks/\\d{5,}/[\\w-]{20,}"],
  ["stripe-key", "[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}"],
  ["anthropic-key", "sk-ant-[\\w-]{20,}"],
  ["openai-key", "sk-(?:proj|svcacct|admin|or-v1|lf)-[\\w-]{16,}|sess-[A-Za-z0-9]{40,}"],
  ["api-key?", "sk-[\\w-]{20,}"],
  ["api-key", "ovk-[\\w-]{16,}|gsk_[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{40,}"],
  ["api-key", "xai-[\\w-]{40,}|tvly-[\\w-]{20,}|fc-[0-9a-f]{32}|nvapi-[\\w-]{40,}"],
  ["hugging-face-token", "hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}"],
  ["npm-token", "npm_[A-Za-z0-9]{30,}"],
  ["pypi-token", "pypi-[\\w-]{50,}"],
  ["rubygems-token", "rubygems_[0-9a-f]{40,}"],
  ["docker-token", "dckr_[a-z]{3}_[\\w-]{20,}"],
  ["sendgrid-key", "SG\\.[\\w-]{16,}\\.[\\w-]{16,}"],
  ["mailgun-key", "key-[0-9a-f]{32}(?![0-9a-f])"],
  ["mailchimp-key", "[0-9a-f]{32}-us\\d{1,2}(?!\\w)"],
  ["twilio-key", "SK[0-9a-f]{32}(?![0-9a-f])"],
  ["telegram-token", "\\d{8,10}:AA[\\w-]{30,}"],
  ["discord-token?", "[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}"],
  ["digitalocean-token", "do[opr]_v1_[0-9a-f]{40,}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"],
  ["square-token", "sq0[a-z]{3}-[\\w-]{20,}|EAAA[\\w-]{56,}"],
  ["atlassian-token", "AT(?:ATT|CTT|BBT)3[\\w=-]{20,}"],
  ["databricks-token", "dapi[0-9a-f]{32}"],
  ["linear-key", "lin_(?:api|oauth)_[A-Za-z0-9]{30,}"],
  ["notion-token", "ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,}"],
  ["vault-token", "hv[sbr]\\.[\\w-]{20,}|[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}"],
  ["supabase-key", "sb[pa]_[0-9a-f]{40}|sb_secret_[\\w-]{20,}"],
  ["doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,}"],
  ["planetscale-token", "pscale_[a-z]+_[\\w=.-]{32,}"],
  ["grafana-token", "glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,}"],
  ["new-relic-key", "NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19}"],
  ["sentry-token", "sntry[su]_[\\w=+/-]{40,}"],
  ["age-key", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"],
  ["tailscale-key", "tskey-[a-z]+-[\\w-]{16,}"],
  ["fly-token", "FlyV1 fm\\d_[\\w=+/,-]{40,}|fm[12]_[\\w=+/-]{60,}"],
  ["figma-token", "fig[dour]_[\\w-]{40,}"],
  ["airtable-token", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}"],
  ["postman-key", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"],
  ["pulumi-token", "pul-[0-9a-f]{40}"],
  ["netlify-token", "nfp_[A-Za-z0-9]{36,}"],
  ["cloudflare-key", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{100,}"],
  ["azure-secret", "[\\w~.-]{3}8Q~[\\w~.-]{34}"],
  ["alibaba-key", "LTAI[A-Za-z0-9]{12,}(?![A-Za-z0-9])"],
  ["tencent-key", "AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"],
  ["volcengine-key", "AKLT[A-Za-z0-9+/=_-]{20,}"],
  ["facebook-token", "EAA[A-Za-z0-9]{90,}"],
  ["dropbox-token", "sl\\.[\\w-]{100,}"],
  ["jfrog-token", "AKC[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{40,}"],
];

/** Three parts of a JSON Web Token; may start only where its run of characters starts. */
export const JWT_SHAPE = "(?<![\\w-])eyJ[\\w-]{8,}\\.eyJ[\\w-]{4,}(?:\\.[\\w-]*)?";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * What the application of release 2026.5.4 takes in a blueprint, for the models of the shipped ones: the fields of a
 * request to create one, which a blueprint has too, because both are read by one serializer.
 *
 * Taken on 2026-11-22 from the upstream's API client of that release: `pip download --no-deps authentik-client==2026.5.4`,
 * `authentik_client/models/*_request.py`, `__properties`, and required without `Optional`. The upstream's schema of
 * blueprints, `blueprints/schema.json`, is made from the same serializers.
 */
export const RELEASE_MODELS: Readonly<
  Record<string, { readonly required: readonly string[]; readonly fields: readonly string[] }>
> = {
  // Described in the upstream's sources alone: authentik/blueprints/v1/meta/apply_blueprint.py.
  "authentik_blueprints.metaapplyblueprint": {
    required: words("identifiers"),
    fields: words(`
    identifiers required
  `),
  },
  "authentik_brands.brand": {
    required: words("domain"),
    fields: words(`
      domain default branding_title branding_logo branding_favicon branding_custom_css
      branding_default_flow_background flow_authentication flow_invalidation flow_recovery
      flow_unenrollment flow_user_settings flow_device_code flow_lockdown default_application
      web_certificate client_certificates attributes
    `),
  },
  "authentik_stages_identification.identificationstage": {
    required: words("name"),
    fields: words(`
      name user_fields password_stage captcha_stage case_insensitive_matching show_matched_user
      enrollment_flow recovery_flow passwordless_flow sources show_source_labels pretend_user_exists
      enable_remember_me webauthn_stage
    `),
  },
  "authentik_providers_oauth2.oauth2provider": {
    required: words("name authorization_flow invalidation_flow redirect_uris"),
    fields: words(`
      name authentication_flow authorization_flow invalidation_flow property_mappings client_type
      grant_types client_id client_secret access_code_validity access_token_validity
      refresh_token_validity refresh_token_threshold include_claims_in_id_token signing_key
      encryption_key redirect_uris logout_uri logout_method sub_mode issuer_mode
      jwt_federation_sources jwt_federation_providers
    `),
  },
  "authentik_core.application": {
    required: words("name slug"),
    fields: words(`
      name slug provider backchannel_providers open_in_new_tab meta_launch_url meta_icon
      meta_description meta_publisher policy_engine_mode group meta_hide
    `),
  },
  "authentik_policies_expression.expressionpolicy": {
    required: words("name expression"),
    fields: words("name execution_logging expression"),
  },
  "authentik_policies.policybinding": {
    required: words("target order"),
    fields: words("policy group user target negate enabled order timeout failure_result"),
  },
  "authentik_flows.flow": {
    required: words("name slug title designation"),
    fields: words(`
      name slug title designation background policy_engine_mode compatibility_mode layout
      denied_action authentication
    `),
  },
};

/** Values of fields that take a few words only. */
export const RELEASE_WORDS: Readonly<Record<string, readonly string[]>> = {
  client_type: ["confidential", "public"],
  matching_mode: ["strict", "regex"],
  policy_engine_mode: ["all", "any"],
  user_fields: words("email username upn"),
};

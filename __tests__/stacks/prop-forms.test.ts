import { canBe, FORMS, groupsOf, placesOf, SUBJECTS, synthesized, usedText } from "./prop-forms";

/** What is in nothing that is made, in the programs of this test. */
const NOT_IN_RESOURCES: Readonly<Record<string, string>> = {
  "secretKey.acceptedVersion": "only allows another version",
  "dnsZone.dnsName": "only says which domains the zone serves",
  "existingRepository.location": "only says how the prefix of images begins",
  "existingServiceAccounts.build": "nothing is built where the image exists",
  "existingServiceAccounts.nodes": "Cloud Run has none",
  "existingServiceAccounts.scheduler": "a cluster has a scheduler of its own",
};

/** Text that Terraform would read as something else, or as nothing. */
const WRONG = /(?<!tobool)\(false\)|\$\{null\}|\bundefined\b|\) is null|form-terraform_data/;

describe.each(SUBJECTS)("The props of $name", (subject) => {
  it("are all in a group", () => {
    const names = groupsOf(subject).flatMap(({ places }) => places.map(({ name }) => name));
    expect(names.sort()).toEqual(
      placesOf(subject)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.each(groupsOf(subject).flatMap((group) => FORMS.map((form) => ({ form, group, name: group.name }))))(
    "are in what is made, or refused by name, as $form: $name",
    ({ form, group }) => {
      const { others, refused, terraform } = synthesized(subject, group, form);
      const [all, used] = [JSON.stringify(terraform), usedText(terraform)];
      const isAbsent = (name: string) => {
        const address = (others.addresses.get(name) ?? "").replaceAll(".", "[.]");
        return !new RegExp(`${address}(?![\\w])`).test(name in NOT_IN_RESOURCES ? all : used);
      };
      const given = group.places.filter((place) => canBe(place, form) && !refused.has(place.name));
      expect(given.map(({ name }) => name).filter(isAbsent)).toEqual([]);
      expect(WRONG.exec(all)).toBeNull();
    },
  );
});

"""Holds JUnit reports to the schema that Jenkins publishes, as pytest's sources ship it."""

import sys

import xmlschema


def main(schema, files):
    if not files:
        sys.exit("name the schema, and the files to validate")
    known = xmlschema.XMLSchema(schema)
    # A schema that accepts anything would prove nothing.
    assert not known.is_valid("<testsuites><testsuite><testcase/></testsuite></testsuites>")
    cases = 0
    for name in files:
        known.validate(name)
        cases += sum(1 for _ in known.iter_decode(name, path="testsuite/testcase"))
    assert cases > 0, "no case at all"
    print(f"{len(files)} JUnit reports hold {cases} cases")


main(sys.argv[1], sys.argv[2:])

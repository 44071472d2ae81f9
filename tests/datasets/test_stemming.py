"""The stemmer, on the examples of the article that describes it and on others."""

import pytest

from recoco.datasets.stemming import porter

# the examples that stand beside the rules in the article, with the stem after all steps
EXAMPLES = """
caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster
bled bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop
tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky
relational relat conditional condit rational ration valenci valenc hesitanci hesit digitizer digit
conformabli conform radicalli radic differentli differ vileli vile analogousli analog
vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis
hopefulness hope callousness callous formaliti formal sensitiviti sensit sensibiliti sensibl
triplicate triplic formative form formalize formal electriciti electr electrical electr hopeful hope
goodness good revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop
adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust
dependent depend adoption adopt homologou homolog communism commun activate activ
angulariti angular homologous homolog effective effect bowdlerize bowdler probate probat rate rate
cease ceas controll control roll roll
generalizations gener oscillators oscil
"""


def test_stemmer_on_the_examples_of_its_article():
    words = EXAMPLES.split()
    for word, stem in zip(words[::2], words[1::2], strict=True):
        assert porter(word) == stem, word


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("is", "is"),  # too short for any rule
        ("toy", "toi"),  # y after a vowel is a consonant, at the end it is replaced
        ("syzygy", "syzygi"),
        ("yes", "ye"),
        ("replacements", "replac"),
        ("element", "element"),  # the longest suffix alone counts, and -ement fails
        ("allergy", "allergi"),
        ("allergies", "allergi"),
        ("étés", "été"),
        ("1980s", "1980"),
    ],
)
def test_stemmer_elsewhere(word, stem):
    assert porter(word) == stem

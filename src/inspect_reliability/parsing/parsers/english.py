"""The English words by which judges announce a verdict; a design's labels bring other languages.

Regular expressions for text in lower case. In the lists, "_" is a space within a word.
"""

import re


def any_of(listed: str) -> str:
    """One of some words."""
    return "|".join(listed.split()).replace("_", r"\s+")


def words(listed: str) -> str:
    """Whole words."""
    return rf"(?<![^\W_])(?:{any_of(listed)})(?![^\W_])"


def loosely(label: str) -> str:
    """A label with any white space between its words."""
    return r"\s+".join(map(re.escape, label.lower().split()))


# What is said of the response chosen; the label of the study's prompt, as judges translate it.
_BEST = (
    "best better strongest stronger superior top winning preferred favou?rite finest most_(?:"
    "accurate|helpful|appropriate|suitable|convincing|correct|complete|comprehensive|relevant|useful"
    "|informative|compelling|effective) "
)
BEST = words(
    _BEST + r"(?:correct|right|ideal)_(?:response|reply|assistant|candidate) first_place rank_1"
    r" 1st(?:_place|(?=\s*$))"
)
TRANSLATED = "meilleure réponse|beste antwort|mejor respuesta|最佳回答"

# What one calls a verdict; what may announce one where nothing else does; what one calls a number,
# and one of several words.
VERDICT = words(
    "verdict decision winner choice pick selection selected chosen judge?ment preference conclusion"
    " vote result ranking recommendation"
)
ANSWER = words("response answer ans option candidate assistant reply letter")
RATING = words("rating score grade mark points stars rate evaluation assessment")
_JUDGED = (
    " response answer reply text essay summary translation story prediction statement claim message"
    " output solution code review comment tone it this that"
)
CLASS = words("label classification category class assessment evaluation" + _JUDGED)

# What makes an announcement the last word, or one of something else; what takes it back; how a
# sentence goes on that states it; how one corrects oneself.
FINAL = words("final finally ultimately overall conclusion conclude correction in_the_end")
NOT = words(
    r"not never no neither nor none nobody \w+n['’]t cannot without except second 2nd third 3rd"
    r" fourth 4th fifth second-best next runner-up worst weakest poorest least lowest loser losing"
    r" rejected if unless whether why reason explanation example format template rather might may"
    r" could tempt\w+ initially originally previously hardly (?:hard|difficult)_to doubt\w*"
    r" disagree\w*"
)
TAKES_BACK = (
    r"would(?!\s+be\s+the\s+best)|might|could|may|seems?|seemed|was|were|if|loses|lost|isn['’]t"
    r"|is\s+(?:not|wrong|incorrect|tempting)|comes\s+last|or\s+(?:less|lower|fewer|more|higher)"
    r"|is\s+(?:(?:the|by\s+far|much|[a-z]+ly)\s+){0,2}(?:worse|worst|weaker|weakest|inferior|loser)"
)
GOES_ON = any_of(
    "because since as for due over rather instead here overall first to and_(?:thus|therefore)"
)
RATHER = any_of(
    r"wait actually sorry rather(?!\s+than) make_that i_mean no(?=,) hmm"
    " hold_on scratch_that on_(?:second_thought|reflection)"
)

# What joins the name of a verdict and the verdict; what one says who chooses an option, gives a
# number, gives a word.
COPULA = any_of("is was are (?:will|would|should|must|has_to|to)_be goes_to remains")
_CHOOSE = any_of(
    "choose chose pick(?:ed|ing)? select(?:ed|ing)? (?:go|going|went)_with go_for vote_for opt_for"
    " prefer favou?r recommend choosing think believe say declare judge rank find consider"
)
CHOOSE = (
    r"(?:i|we)(?:['’](?:d|ll|m|ve)|\s+(?:would|will|am|have|must|had))?(?:\s+(?!not\b|never\b|can|don"
    rf"|hardly|almost|nearly|initially|originally|first)[a-z]+){{0,2}}?\s+(?:{_CHOOSE})"
    "|choosing|selecting|selects|chooses|picks"
)
GRADE = any_of(
    "give gave giving rated? award(?:ed)? assign(?:ed)? rating_of scored? score_of grade grade_of"
    " deserves earns gets receives merits"
)
CLASSIFY = any_of("classify label judge consider deem say think rate call")

# What stands before the name of an option, and what else may; the last before numbers and words.
NOUN = any_of(
    r"responses? options? letters? answers? choices? candidates? assistants? models? outputs?"
    r" solutions? repl(?:y|ies) numbers? no\."
)
SMALL = any_of(
    "the that this of by from in to with one both provided given written offered labell?ed"
    " marked called clearly definitely certainly absolutely probably likely indeed"
    " (?:therefore|thus|hence|so),? either actually simply just still clear obviously"
    " undoubtedly it's it is as"
)
GIVEN = any_of(
    "an? them him her its their score rating grade mark at solid strong full overall perfect about"
    " around roughly good" + _JUDGED
)
TIE = any_of("tie tied draw both equal equally")

# What a sentence says of the response chosen, after its name, and before it.
ADVERB = any_of(
    r"(?!hardly|scarcely|barely)[a-z]+ly by_far far much still overall the a_(?:bit|little) my our"
    " an? clear obvious hands_down"
)
IS = any_of("is was remains (?:seems_to|appears_to|would)_be (?:stands|comes)_out_as emerges_as")
HAS = any_of("provides gives offers has presents delivers")
GOOD = any_of(_BEST + "winner preferable correct_response")
BETTER = any_of("better stronger superior preferable")
WINS = any_of(
    "wins prevails takes_it takes_the_win comes_first comes_out_on_top ranks_first gets_my_vote"
    r" it_is(?=[.!\n]|\Z)"
)
OF_ALL = any_of(
    "of among amongst overall due here by given because since as when while with and to choice"
    " for_(?:the|these|several|two|three) in_(?:my|this)"
)
SAYS = any_of("that think believe feel say find conclude so and therefore thus hence overall")

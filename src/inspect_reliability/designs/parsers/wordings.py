"""The words by which judges announce a verdict, in the languages they are asked in.

Regular expressions for text in lower case. In the lists, "_" is a space within a word. Chinese,
Japanese, Korean and Thai do not set their words apart; those words are listed as `joined`.
"""

import re
from itertools import groupby


def any_of(words: str) -> str:
    """One of some words."""
    # Grouped by their first letters, which is faster.
    found = sorted(words.split(), key=lambda word: word[0])
    groups = ((first, [w[1:] for w in same]) for first, same in groupby(found, lambda w: w[0]))
    return "|".join(
        f"{first}(?:{'|'.join(rest)})" if first.isalpha() else "|".join(first + r for r in rest)
        for first, rest in groups
    ).replace("_", r"\s+")


def words(apart: str, joined: str = "") -> str:
    """One of some words that are whole words, or of some that need not be."""
    whole = rf"(?<![^\W_])(?:{any_of(apart)})(?![^\W_])"
    first = "".join({word[0] for word in joined.split()})
    return f"(?:{whole}|(?=[{first}])(?:{any_of(joined)}))" if joined else whole


def loosely(label: str) -> str:
    """A label with any white space between its words."""
    return r"\s+".join(map(re.escape, label.lower().split()))


_MOST = (
    "accurate|helpful|appropriate|suitable|convincing|correct|complete|comprehensive|relevant|useful"
    "|informative|compelling|satisfactory|effective"
)
BEST = words(
    r"""
    best better strongest stronger superior top winning preferred favou?rite finest top-rated
    highest-rated most_(?:{most}) (?:correct|right|ideal)_(?:response|reply|assistant|candidate)
    first_place 1st(?:_place|(?=\s*$)) rank_1 meilleure? préférée? beste[nrs]? bessere?[nrs]?
    stärkste[nrs]? mejor melhor migliore? bästa bedste betere najlepsz\w+ najlepš\w+ nejlepší
    лучш\w+ наилучш\w+ сильнейш\w+ найкращ\w+ кращ\w+ en_iyi tốt_nhất terbaik paras legjobb
    cel_mai_bun\w* cea_mai_bună καλύτερ\w+ millor الأفضل أفضل بهترین הטובה?_ביותר सर्वश्रेष्ठ
    सबसे_अच्छ
    """.replace("{most}", _MOST),
    "最佳 最好 最优 最強 最强 更好 最良 最も良い 最も優れた 最善 ベスト 最適 最合适 最高 최고 최선 "
    "최상 가장_좋은 가장_나은 가장_우수한 최적 ดีที่สุด",
)
"""What is said of the response chosen."""

VERDICT = words(
    r"""
    verdict decision winner choice pick selection selected chosen judge?ment preference conclusion
    vote result ranking ranked recommendation choix gagnante? vainqueur décision jugement urteil
    entscheidung gewinner sieger wahl ergebnis fazit veredicto decisión ganadora? elección
    conclusión veredito decisão vencedora? escolha conclusão verdetto decisione vincitore vincitrice
    scelta giudizio conclusione oordeel beslissing winnaar keuze conclusie vinnare val werdykt
    zwycięzca wybór decyzja вердикт победител\w+ выбор решение вибір переможець karar kazanan
    seçim\w* lựa_chọn kết_luận putusan pemenang pilihan keputusan ετυμηγορία νικητής επιλογή الحكم
    الفائز الاختيار القرار המנצח בחירה निर्णय विजेता
    """,
    "结论 判断 裁决 获胜者 胜者 优胜者 选择 判定 結論 勝者 評決 選択 판정 승자 결론 선택 평결 결정 "
    "คำตัดสิน ผู้ชนะ ตัวเลือก",
)
"""What a verdict is called."""

ANSWER = words(
    r"""
    response answer ans option candidate assistant reply letter réponse antwort respuesta opción
    resposta opção risposta opzione antwoord optie svaret? odpowiedź odpověď ответ вариант відповідь
    варіант yanıt cevap seçenek câu_trả_lời đáp_án jawaban vastaus válasz răspuns απάντηση إجابة
    الإجابة جواب الجواب الرد اختيار خيار תשובה उत्तर विकल्प پاسخ گزینه
    """,
    "回答 答案 选项 回复 答复 答え 応答 응답 답변 정답 대답 คำตอบ",
)
"""What is judged: it announces a verdict only where nothing else does."""

RATING = words(
    r"""
    rating score grade mark points stars rate evaluation assessment note évaluation bewertung
    punktzahl punkte gesamtnote puntuación calificación puntaje puntos nota pontuação avaliação
    punteggio voto valutazione beoordeling cijfer betyg poäng ocena wynik оценка балл\w* рейтинг
    оцінка puan điểm đánh_giá nilai skor βαθμολογία التقييم الدرجة अंक रेटिंग
    """,
    "评分 分数 得分 评级 打分 評価 点数 スコア 점수 평점 평가 คะแนน",
)
"""What a number on a scale is called."""

_JUDGED = """
    response answer reply text essay summary translation story prediction statement claim message
    output solution code review comment tone it this that
"""
CLASS = words(
    "label classification category class assessment evaluation" + _JUDGED, "分类 标签 分類 분류"
)
"""What one of several words is called, or said of."""

FINAL = words(
    r"""
    final finally ultimate ultimately overall conclusion conclude correction corrected revised
    in_the_end in_summary all_in_all finale finalement globalement endgültig\w* letztendlich
    insgesamt gesamt\w* fazit abschließend\w* schlussendlich finalmente conclusión definitiv[oa]
    conclusão infine conclusione eindoordeel uiteindelijk\w* итог\w* окончательн\w+ akhir
    """,
    "最终 最終 综上 总之 结论 結論 최종 결론",
)
"""What makes an announcement the last word."""

NOT = words(
    r"""
    not never no neither nor none \w+n['’]t cannot without except second 2nd third 3rd fourth 4th
    fifth second-best next runner-up runner worst weakest poorest least lowest loser losing rejected
    if unless whether why reason explanation example format template rather might may could tempt\w+
    initially originally previously pas pire deuxième seconde? moins nicht kein\w* schlechteste\w*
    zweitbeste\w* schwächste\w* wenn falls peor segund[oa] si não pior se non peggiore second[oa]
    niet slechtste tweede не худш\w+ втор\w+ если
    nobody hardly hard_to difficult_to doubt\w* disagree\w*
    """,
    "不是 最差 第二 如果 并非 最悪 최악 두_번째 아닌",
)
"""What makes a phrase announce something else."""

COPULA = any_of(
    """
    is was are would_be should_be must_be has_to_be goes_to seems_to_be appears_to_be to_be
    remains
    est serait sont ist wäre lautet es sería é seria è sarebbe är er jest je является это là
    adalah
    ialah είναι este هي هو היא הוא
    """
)
COPULA_JOINED = "(?<!不)是|为|為|は|은|는"
"""What joins the name of a verdict and the verdict."""

_CHOOSE = any_of(
    """
    choose chose pick picked picking select selected selecting go_with go_for going_with
    went_with vote_for
    voted_for opt_for opted_for prefer favor favour recommend crown choosing think believe say
    declare
    judge rank find consider
    """
)
CHOOSE = (
    r"(?:i|we)(?:['’](?:d|ll|m|ve)|\s+(?:would|will|am|have|must|had))?"
    rf"(?:\s+(?!not\b|never\b|can|don|hardly|almost|nearly|initially|originally|first)[a-z]+){{0,2}}?\s+(?:{_CHOOSE})|"
    + any_of(
        """
        choosing selecting selects chooses picks choisis choisirais préfère wähle bevorzuge
        elijo elegiría escojo prefiero
        escolho escolheria prefiro scelgo sceglierei preferisco kies väljer wybieram выбираю
        выбрал
        предпочитаю memilih
        """
    )
)
CHOOSE_JOINED = "(?<!不)(?<!不[会能])选择?"
"""What one says who chooses an option."""

GRADE = any_of(
    """
    give gave giving rate rated award awarded assign assigned rating_of score score_of scored
    grade grade_of
    deserves earns earned gets got receives received merits
    """
)
"""What one says who gives a number."""

CLASSIFY = any_of("classify label judge consider deem say think rate call")
"""What one says who gives a word."""

NOUN = any_of(
    r"""
    responses? options? letters? answers? choices? candidates? assistants? models? outputs?
    solutions? repl(?:y|ies) numbers? no\. réponses? antwort(?:en)? respuestas? opción respostas?
    opção rispost[ae] opzione antwoord optie svar odpowiedź ответ\w? вариант\w? jawaban yanıt 回答
    答案 选项 选择 回复 응답 답변 選択肢 応答
    """
)
"""What stands before the name of an option."""

SMALL = any_of(
    r"""
    the that this of by from in to with one both provided given written offered labell?ed marked
    called clearly definitely certainly absolutely probably likely indeed therefore,? thus,? hence,?
    so,? either actually simply just still clear obviously undoubtedly it's it is as la le les el
    los der die das den lo il het de det l['’] a(?=\s+(?:opção|resposta))
    """
)
GIVEN = any_of(
    _JUDGED
    + """
    an? them him her its their score rating grade mark at solid strong full overall perfect about
    around roughly good note nota ein eine einen un una uno une
    """
)
"""What else may come between an announcement and the verdict; the latter for numbers and words."""

TIE = any_of(
    "tie tied draw both equal equally unentschieden égalité empate pareggio 平局 平手 引き分け "
    "무승부"
)
"""What names no one verdict."""

RATHER = any_of(
    "wait actually sorry rather hold_on scratch_that make_that i_mean on_second_thought hmm well no"
)
"""By which one takes back what one said."""

ADVERB = any_of(
    r"(?!hardly|scarcely|barely)[a-z]+ly by_far far much still overall the a_bit a_little my our "
    "an? clear obvious hands_down"
)
IS = any_of(
    """
    is was remains seems_to_be appears_to_be would_be stands_out_as emerges_as ranks_as
    comes_out_as
    """
)
HAS = any_of("provides gives offers has presents delivers")
GOOD = any_of(
    """
    best better strongest stronger superior winner winning top preferred preferable favou?rite
    finest
    most_(?:{most})
    correct_response
    """.replace("{most}", _MOST)
)
BETTER = any_of("better stronger superior preferable")
WINS = any_of(
    r"""
    wins prevails takes_it takes_the_win comes_first comes_out_on_top ranks_first gets_my_vote it_is
    est_(?:la_)?meilleure ist_(?:die_)?(?:klar_)?(?:beste|besser)\w* es_(?:la_)?mejor
    é_(?:a_)?melhor è_(?:la_)?migliore is_(?:de_|het_)?be(?:ste|tere?) är_bäst jest_najlepsz\w+
    je_nejlepší лучш\w+ является_лучш\w+
    """
)
WINS_JOINED = r"更好|最好|最佳|是最[好佳优]|が最も?[良優適]|を選|[를을]\s선택|[가이]\s가장"
"""What a sentence says of the response chosen, after its name."""

SAYS = any_of(
    "that think believe feel say find conclude so and therefore thus hence overall clearly "
    "ultimately"
)
"""What may come before the name of a response in such a sentence."""

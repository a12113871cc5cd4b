import unittest

from tally.text import bar


class Text(unittest.TestCase):
    def test_a_half_is_half_full(self):
        self.assertEqual(bar(0.5, width=4), "##..")


if __name__ == "__main__":
    unittest.main()

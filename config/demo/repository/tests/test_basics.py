import unittest

from tally import mean, spread, total


class Basics(unittest.TestCase):
    def test_the_total_of_nothing_is_zero(self):
        self.assertEqual(total([]), 0)

    def test_the_total_adds_up(self):
        self.assertEqual(total([1, 2, 3]), 6)

    def test_the_mean_lies_between(self):
        self.assertEqual(mean([1, 2, 3]), 2)

    def test_the_spread_is_a_distance(self):
        self.assertEqual(spread([3, 1, 2]), 2)


if __name__ == "__main__":
    unittest.main()
